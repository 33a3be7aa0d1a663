import styles from './sparkline.module.css'

export type SparklineTone = 'quiet' | 'victim' | 'aggressor' | 'quota' | 'system'

type SparklineProps = {
  values: readonly (number | null)[]
  /** One sentence for those who cannot see the line. */
  label: string
  tone?: SparklineTone
  width?: number
  height?: number
}

const EDGE = 3

/** Line pieces between gaps: a missing value breaks the line, it is never drawn as zero. */
export function sparklinePieces(
  values: readonly (number | null)[],
  width: number,
  height: number,
): [number, number][][] {
  const known = values.filter((value) => value !== null)
  const top = Math.max(...known, 0)
  const x = (index: number) => EDGE + (index * (width - 2 * EDGE)) / Math.max(1, values.length - 1)
  const y = (value: number) => height - EDGE - (top === 0 ? 0 : (value / top) * (height - 2 * EDGE))
  const pieces: [number, number][][] = []
  let piece: [number, number][] = []
  values.forEach((value, index) => {
    if (value !== null) {
      piece.push([x(index), y(value)])
      return
    }
    if (piece.length > 0) pieces.push(piece)
    piece = []
  })
  if (piece.length > 0) pieces.push(piece)
  return pieces
}

/** A value between two gaps is a point: a line of one point would not be drawn at all. */
function drawn(piece: [number, number][]): [number, number][] {
  return piece.length === 1 ? [...piece, ...piece] : piece
}

export function Sparkline({ values, label, tone = 'quiet', width = 80, height = 24 }: SparklineProps) {
  const pieces = sparklinePieces(values, width, height)
  const last = values.at(-1) === null ? undefined : pieces.at(-1)?.at(-1)
  return (
    <svg
      className={styles[tone]}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      {pieces.map((piece) => (
        <polyline
          key={piece[0]?.[0]}
          className={styles.line}
          points={drawn(piece)
            .map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`)
            .join(' ')}
        />
      ))}
      {last ? <circle className={styles.dot} cx={last[0]} cy={last[1]} r={2} /> : null}
    </svg>
  )
}
