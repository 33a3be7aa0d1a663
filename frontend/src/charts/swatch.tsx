import { type ColourToken, cssColour } from './chart-theme'
import styles from './swatch.module.css'

export type Mark = { shape: 'line' | 'dash' | 'square'; colour: ColourToken }

/** The mark of a series, drawn as the series is: lines with their dash, bars as squares. */
export function Swatch({ shape, colour }: Mark) {
  return (
    <span
      className={styles[shape]}
      style={{ [shape === 'square' ? 'background' : 'color']: cssColour(colour) }}
      aria-hidden
    />
  )
}
