import type { LegendEntry } from './chart-legend'
import { type ChartTheme, type ColourToken, FAINT_OPACITY } from './chart-theme'
import type { Mark } from './swatch'

const RATIO = 2
const PAD = 14
const HEAD = 40

type Picture = { title: string; unit: string; legend: readonly LegendEntry[]; range: string }

/** The plot with the head a reader elsewhere needs: title, unit, legend and the range it covers. */
export function composePicture(
  plot: HTMLCanvasElement,
  picture: Picture,
  theme: ChartTheme,
): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = plot.width
  canvas.height = plot.height + (HEAD + PAD) * RATIO
  const pen = canvas.getContext('2d')
  if (!pen) return plot
  pen.fillStyle = theme.surface
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.drawImage(plot, 0, HEAD * RATIO)
  pen.scale(RATIO, RATIO)
  pen.textBaseline = 'middle'
  let x = PAD
  const y = PAD + 8
  const write = (text: string, weight: number, size: number, colour: ColourToken, gap: number) => {
    pen.font = `${weight} ${size}px ${theme.font}`
    pen.fillStyle = theme[colour]
    pen.fillText(text, x, y)
    x += pen.measureText(text).width + gap
  }
  write(picture.title, 600, 13, 'text', 8)
  write(picture.unit, 400, 12, 'text3', 14)
  for (const { name, value, mark } of picture.legend) {
    if (mark) {
      drawMark(pen, mark, x, y, theme)
      x += mark.shape === 'square' ? 15 : 22
    }
    write(value ? `${name} ${value}` : name, 400, 12, 'text2', 14)
  }
  pen.font = `400 12px ${theme.font}`
  pen.fillStyle = theme.text3
  pen.textAlign = 'right'
  pen.fillText(picture.range, canvas.width / RATIO - PAD, y)
  return canvas
}

function drawMark(pen: CanvasRenderingContext2D, mark: Mark, x: number, y: number, theme: ChartTheme): void {
  pen.fillStyle = theme[mark.colour]
  if (mark.shape === 'square') {
    pen.globalAlpha = mark.faint ? FAINT_OPACITY : 1
    pen.fillRect(x, y - 4.5, 9, 9)
    pen.globalAlpha = 1
    return
  }
  pen.strokeStyle = theme[mark.colour]
  pen.lineWidth = mark.shape === 'dash' ? 1.25 : 2
  pen.setLineDash(mark.shape === 'dash' ? [4, 3] : [])
  pen.beginPath()
  pen.moveTo(x, y)
  pen.lineTo(x + 16, y)
  pen.stroke()
}
