/** The layout of a preview picture: what it is of, up to three figures, and the line of its prices. Pure. */
import { type Canvas, createCanvas, drawLines, drawText, fillBelow, textWidth } from './canvas.ts'
import { drawable, type Point } from './glyphs.ts'

export type Preview = {
  /** Symbol of a token, or what it is. */
  title: string
  /** Drawn in place of a title that cannot be drawn. */
  otherTitle: string
  subtitle: string
  figures: readonly PreviewFigure[]
  /** Prices from left to right; fewer than two: no line. */
  line: readonly number[]
}
export type PreviewFigure = { label: string; text: string; tone?: 'up' | 'down' | undefined }

/** Size that the services of previews recommend. */
const WIDTH = 1_200
const HEIGHT = 630
const MARGIN = 72
const BOTTOM = { line: 560, surface: HEIGHT }
const CHART_TOP = 390
const COLORS = { ink: 1, quiet: 2, up: 3, down: 4, accent: 5 } as const
const PALETTE = [
  [13, 17, 23],
  [236, 240, 245],
  [139, 149, 163],
  [46, 204, 143],
  [240, 93, 108],
  [122, 162, 255],
] as const

const SIZES = { brand: 26, title: 76, titleLeast: 34, subtitle: 28, label: 20, figure: 42 } as const
const SUBSCRIPTS = /[₀-₉]+/g
const ZERO_BELOW = 0x2080

export function drawPreview({ title, otherTitle, subtitle, figures, line }: Preview): Canvas {
  const canvas = createCanvas(WIDTH, HEIGHT, PALETTE)
  drawChart(canvas, line)
  drawText(canvas, 'Swaptide', { at: [MARGIN, 92], size: SIZES.brand, color: COLORS.accent })
  const shownTitle = drawable(title) ?? drawable(otherTitle) ?? ''
  const room = WIDTH - 2 * MARGIN
  const size = Math.max(SIZES.titleLeast, fittingSize(shownTitle, SIZES.title, room))
  const titleText = cutTo(shownTitle, size, room)
  drawText(canvas, titleText, { at: [MARGIN, 206], size, color: COLORS.ink, weight: 0.15 })
  const below = cutTo(drawable(subtitle) ?? '', SIZES.subtitle, room)
  drawText(canvas, below, { at: [MARGIN, 264], size: SIZES.subtitle, color: COLORS.quiet })
  const column = room / Math.max(1, figures.length)
  for (const [at, figure] of figures.entries()) {
    drawFigure(canvas, figure, MARGIN + at * column, column)
  }
  return canvas
}

function drawFigure(
  canvas: Canvas,
  { label, text, tone }: PreviewFigure,
  left: number,
  column: number,
): void {
  drawText(canvas, label, { at: [left, 322], size: SIZES.label, color: COLORS.quiet })
  const plain = text.replaceAll(SUBSCRIPTS, withZeros)
  const shown = drawable(plain) ?? ''
  const size = fittingSize(shown, SIZES.figure, column - MARGIN / 2)
  drawText(canvas, shown, { at: [left, 384], size, color: tone ? COLORS[tone] : COLORS.ink })
}

/** The count of zeros in brackets: 0.0(4)9654. Pictures have no small digits. */
function withZeros(digits: string): string {
  return `(${Array.from(digits, (digit) => (digit.codePointAt(0) ?? 0) - ZERO_BELOW).join('')})`
}

function drawChart(canvas: Canvas, prices: readonly number[]): void {
  const [first = 0, second] = prices
  if (second === undefined) return
  const [least, most] = [Math.min(...prices), Math.max(...prices)]
  const color = (prices.at(-1) ?? first) >= first ? COLORS.up : COLORS.down
  const top = CHART_TOP + 40
  const points = prices.map((price, at): Point => {
    const share = most === least ? 0.5 : (price - least) / (most - least)
    const x = (WIDTH * at) / (prices.length - 1)
    return [x, BOTTOM.line - share * (BOTTOM.line - top)]
  })
  fillBelow(canvas, points, { bottom: BOTTOM.surface, color, share: 0.14 })
  drawLines(canvas, points, { color, radius: 2.5 })
}

/** The size, or the smaller one at which the text fits. */
function fittingSize(text: string, size: number, room: number): number {
  const width = textWidth(text, size)
  return width <= room ? size : (size * room) / width
}

/** The beginning of the text that fits. */
function cutTo(text: string, size: number, room: number): string {
  if (textWidth(text, size) <= room) return text
  const ends = '…'
  let shown = ''
  let left = room - textWidth(ends, size)
  for (const character of text) {
    // With the space to the next one.
    left -= textWidth(character + character, size) - textWidth(character, size)
    if (left < 0) break
    shown += character
  }
  return shown.trim() + ends
}
