import { type ColourToken, cssColour, FAINT_OPACITY } from './chart-theme'
import styles from './swatch.module.css'

export type Mark = { shape: 'line' | 'dash' | 'square'; colour: ColourToken; faint?: boolean }

/** The mark of a series, drawn as the series is: lines with their dash, bars as squares. */
export function Swatch({ shape, colour, faint }: Mark) {
  return (
    <span
      className={styles[shape]}
      style={{
        [shape === 'square' ? 'background' : 'color']: cssColour(colour),
        opacity: faint ? FAINT_OPACITY : undefined,
      }}
      aria-hidden
    />
  )
}
