/**
 * A canvas of indexed colours: smooth lines, text of strokes, and the surface below a line. Pure.
 *
 * A pixel is one byte, the colour and how much of it covers the background. Of two colours on a pixel the later one wins, so
 * that a picture needs no third channel and packs well.
 */
import { glyphOf, type Point } from './glyphs.ts'

type Rgb = readonly [red: number, green: number, blue: number]
export type Canvas = {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
  readonly colors: readonly Rgb[]
}
type Stroke = { color: number; radius: number }

/** Steps from the background to a colour. */
const LEVELS = 24
/** Units of a glyph between two letters. */
const LETTER_GAP = 1.7
/** Height of a capital in units of a glyph. */
const CAPITAL = 6

/** `colors`: the background and at most ten others. */
export function createCanvas(width: number, height: number, colors: readonly Rgb[]): Canvas {
  return { width, height, pixels: new Uint8Array(width * height), colors }
}

/** RGB of each value of a pixel. */
export function paletteOf({ colors }: Pick<Canvas, 'colors'>): Rgb[] {
  const [background = [0, 0, 0], ...others] = colors as [Rgb, ...Rgb[]]
  const mixed = (color: Rgb, share: number): Rgb => {
    const part = (at: 0 | 1 | 2): number =>
      Math.round(background[at] + (color[at] - background[at]) * share)
    return [part(0), part(1), part(2)]
  }
  const ramps = others.flatMap((color) =>
    Array.from({ length: LEVELS }, (_, level) => mixed(color, (level + 1) / LEVELS)),
  )
  return [background, ...ramps]
}

/** Round at its ends. `color`: place in the list of colours, 1 at least. */
function drawLine(canvas: Canvas, from: Point, to: Point, stroke: Stroke): void {
  const { width, height } = canvas
  const { color, radius } = stroke
  const reach = radius + 1
  const [left, right] = boundsOf(from[0], to[0], reach, width)
  const [top, bottom] = boundsOf(from[1], to[1], reach, height)
  const [across, up] = [to[0] - from[0], to[1] - from[1]]
  const length = across * across + up * up || 1
  const far = (radius + 0.5) ** 2
  for (let y = top; y <= bottom; y++) {
    const below = y + 0.5 - from[1]
    for (let x = left; x <= right; x++) {
      const beside = x + 0.5 - from[0]
      const along = Math.min(1, Math.max(0, (beside * across + below * up) / length))
      const dx = beside - along * across
      const dy = below - along * up
      const squared = dx * dx + dy * dy
      if (squared < far) paint(canvas, y * width + x, color, radius + 0.5 - Math.sqrt(squared))
    }
  }
}

export function drawLines(canvas: Canvas, points: readonly Point[], stroke: Stroke): void {
  for (const [at, point] of points.entries()) {
    drawLine(canvas, points[at - 1] ?? point, point, stroke)
  }
}

/** Fills below a line that runs from left to right. */
export function fillBelow(
  canvas: Canvas,
  points: readonly Point[],
  { bottom, color, share }: { bottom: number; color: number; share: number },
): void {
  const { width, pixels } = canvas
  const value = (color - 1) * LEVELS + Math.ceil(share * LEVELS)
  for (const [at, [x1, y1]] of points.entries()) {
    const [x0, y0] = points[at - 1] ?? [x1, y1]
    for (let x = Math.round(x0); x < Math.round(x1); x++) {
      const y = y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)
      for (let below = Math.round(y); below < bottom; below++) pixels[below * width + x] = value
    }
  }
}

type Lettering = {
  /** Left end and baseline. */
  at: Point
  /** Height of a capital, pixels. */
  size: number
  color: number
  /** Width of the strokes as a share of `size`. */
  weight?: number
}

/** Pixels from the left end to the right one. */
export function textWidth(text: string, size: number): number {
  const unit = size / CAPITAL
  const widths = [...text].map((each) => ((glyphOf(each)?.width ?? 0) + LETTER_GAP) * unit)
  return Math.max(0, widths.reduce((sum, width) => sum + width, 0) - LETTER_GAP * unit)
}

/** Characters without a glyph are left out. */
export function drawText(canvas: Canvas, text: string, lettering: Lettering): void {
  const { at, size, color, weight = 0.13 } = lettering
  const unit = size / CAPITAL
  const stroke = { color, radius: (size * weight) / 2 }
  let [left, baseline] = at
  for (const character of text) {
    const glyph = glyphOf(character)
    if (glyph === undefined) continue
    for (const line of glyph.lines) {
      const placed = line.map(([x, y]): Point => [left + x * unit, baseline - y * unit])
      drawLines(canvas, placed, stroke)
    }
    left += (glyph.width + LETTER_GAP) * unit
  }
}

/** First and last pixel of a line in one direction, within the canvas. */
function boundsOf(from: number, to: number, reach: number, size: number): [number, number] {
  const first = Math.floor(Math.min(from, to) - reach)
  const last = Math.ceil(Math.max(from, to) + reach)
  return [Math.max(0, first), Math.min(size - 1, last)]
}

/** Sets a pixel, unless the same colour covers more of it. */
function paint({ pixels }: Canvas, at: number, color: number, share: number): void {
  const begin = (color - 1) * LEVELS
  const value = begin + Math.ceil(Math.min(1, share) * LEVELS)
  const before = pixels[at] as number
  const isLess = before > value && before <= begin + LEVELS
  if (value > begin && !isLess) pixels[at] = value
}
