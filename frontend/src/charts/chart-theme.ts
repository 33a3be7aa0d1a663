import { useMemo, useSyncExternalStore } from 'react'

const COLOURS = {
  surface: '--surface',
  raised: '--raised',
  borderStrong: '--border-strong',
  grid: '--grid',
  text: '--text',
  text2: '--text2',
  text3: '--text3',
  victim: '--victim',
  self: '--self',
  aggressor: '--aggressor',
  system: '--system',
  quota: '--quota',
  quotaText: '--quota-text',
  lock: '--lock',
  ran: '--ran',
} as const

/** A mark's colour by its meaning; the value lives in theme.css only. */
export type ColourToken = keyof typeof COLOURS

/** Marks under a line of the same meaning: the line stays readable on them. */
export const FAINT_OPACITY = 0.55

export type HatchFill = { image: HTMLCanvasElement; repeat: 'repeat'; scaleX: number; scaleY: number }

export type ChartTheme = Record<ColourToken, string> & { font: string; hatch: HatchFill }

export function cssColour(token: ColourToken): string {
  return `var(${COLOURS[token]})`
}

const TILE_PX = 8
const SHARPNESS = 2

/** 45 degree lines about 6 px apart: a tile whose diagonal continues in its neighbors. */
function hatch(colour: string): HatchFill {
  const image = document.createElement('canvas')
  const side = TILE_PX * SHARPNESS
  image.width = side
  image.height = side
  const pen = image.getContext('2d')
  if (pen) {
    pen.strokeStyle = colour
    pen.lineWidth = SHARPNESS
    for (const shift of [-side, 0, side]) {
      pen.moveTo(shift - SHARPNESS, side + SHARPNESS)
      pen.lineTo(shift + side + SHARPNESS, -SHARPNESS)
    }
    pen.stroke()
  }
  return { image, repeat: 'repeat', scaleX: 1 / SHARPNESS, scaleY: 1 / SHARPNESS }
}

export function readChartTheme(): ChartTheme {
  const style = getComputedStyle(document.documentElement)
  const read = (name: string) => style.getPropertyValue(name).trim()
  const colours = Object.fromEntries(Object.entries(COLOURS).map(([token, name]) => [token, read(name)]))
  const typed = colours as Record<ColourToken, string>
  return { ...typed, font: read('--font'), hatch: hatch(typed.borderStrong) }
}

const SCHEME = 'data-mantine-color-scheme'

function watchScheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: [SCHEME] })
  return () => observer.disconnect()
}

/** The page's tokens for the canvas, read anew when light and dark change. */
export function useChartTheme(): ChartTheme {
  const scheme = useSyncExternalStore(watchScheme, () => document.documentElement.getAttribute(SCHEME))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme is what the computed styles depend on
  return useMemo(readChartTheme, [scheme])
}
