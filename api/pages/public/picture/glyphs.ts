/**
 * Letters of the preview pictures as strokes, so that no font and no package is needed. Pure.
 *
 * A glyph is a list of lines, "/" between them; a point is two digits, across and up: 0 to 6, and 0 to 9 with the baseline at
 * 2, the height of small letters at 6 and of capitals at 8. A point twice is a dot.
 */

export type Point = readonly [x: number, y: number]
type Glyph = { lines: readonly (readonly Point[])[]; width: number }

const BASELINE = 2

const STROKES: Readonly<Record<string, string>> = {
  '0': '12 03 07 18 38 47 43 32 12',
  '1': '06 28 22/02 42',
  '2': '07 18 38 47 46 02 42',
  '3': '07 18 38 47 46 35 25/35 44 43 32 12 03',
  '4': '32 38 04 44',
  '5': '48 08 05 35 44 43 32 12 03',
  '6': '47 38 18 07 03 12 32 43 44 35 15 04',
  '7': '08 48 12',
  '8': '15 06 07 18 38 47 46 35 15 04 03 12 32 43 44 35',
  '9': '03 12 32 43 47 38 18 07 06 15 35 46',
  A: '02 28 42/14 34',
  B: '02 08 38 47 46 35 05/35 44 43 32 02',
  C: '47 38 18 07 03 12 32 43',
  D: '02 08 28 46 44 22 02',
  E: '48 08 02 42/05 35',
  F: '48 08 02/05 35',
  G: '47 38 18 07 03 12 32 43 45 25',
  H: '02 08/42 48/05 45',
  I: '02 22/08 28/12 18',
  J: '38 33 22 12 03',
  K: '02 08/48 04/15 42',
  L: '08 02 42',
  M: '02 08 35 68 62',
  N: '02 08 42 48',
  O: '12 03 07 18 38 47 43 32 12',
  P: '02 08 38 47 46 35 05',
  Q: '12 03 07 18 38 47 43 32 12/24 42',
  R: '02 08 38 47 46 35 05/25 42',
  S: '47 38 18 07 06 15 35 44 43 32 12 03',
  T: '08 48/28 22',
  U: '08 03 12 32 43 48',
  V: '08 22 48',
  W: '08 12 36 52 68',
  X: '02 48/08 42',
  Y: '08 25 48/25 22',
  Z: '08 48 02 42',
  a: '06 26 35 32 12 03 14 34',
  b: '08 02 22 33 35 26 06',
  c: '36 16 05 03 12 32',
  d: '38 32 12 03 05 16 36',
  e: '04 34 35 26 16 05 03 12 32',
  f: '38 28 17 12/06 26',
  g: '36 16 05 03 12 32/36 31 20 00',
  h: '08 02/06 26 35 32',
  i: '02 06/08 08',
  j: '16 11 00/18 18',
  k: '08 02/36 04/14 32',
  l: '08 03 12',
  m: '02 06/06 16 25 22/25 36 45 42',
  n: '02 06 26 35 32',
  o: '12 03 05 16 26 35 33 22 12',
  p: '00 06 26 35 33 22 02',
  q: '30 36 16 05 03 12 32',
  r: '02 06/04 16 26',
  s: '36 16 05 14 24 33 22 02',
  t: '18 13 22 32/06 36',
  u: '06 03 12 32/36 32',
  v: '06 22 46',
  w: '06 12 24 32 46',
  x: '02 36/06 32',
  y: '06 22/46 22 10 00',
  z: '06 36 02 32',
  '.': '02 02',
  ',': '12 01',
  ':': '02 02/05 05',
  ';': '15 15/12 01',
  '!': '04 08/02 02',
  '?': '07 18 38 47 46 25 24/22 22',
  '-': '05 35',
  '+': '05 45/23 27',
  '=': '04 44/06 46',
  '*': '05 45/13 37/17 33',
  '/': '02 48',
  '\\': '08 42',
  '|': '01 08',
  '(': '18 07 03 12',
  ')': '08 17 13 02',
  '[': '18 08 02 12',
  ']': '08 18 12 02',
  '{': '28 17 16 05 14 13 22',
  '}': '08 17 16 25 14 13 02',
  '<': '46 04 42',
  '>': '06 44 02',
  '#': '12 18/32 38/04 44/06 46',
  $: '47 38 18 07 06 15 35 44 43 32 12 03/29 21',
  '%': '02 48/07 16 27 18 07/23 32 43 34 23',
  '&': '42 07 18 28 37 04 03 12 22 44',
  '@': '34 24 15 16 27 37 34 44 47 38 18 07 03 12 42',
  "'": '06 08',
  '"': '06 08/26 28',
  '`': '08 17',
  '^': '06 28 46',
  _: '01 41',
  '~': '04 16 34 46',
  '…': '02 02/22 22/42 42',
  '·': '05 05',
}

const SPACE: Glyph = { lines: [], width: 2 }

const GLYPHS: ReadonlyMap<string, Glyph> = new Map([
  [' ', SPACE],
  ...Object.entries(STROKES).map(([character, text]): [string, Glyph] => {
    const lines = text.split('/').map((line) => line.split(' ').map(pointOf))
    return [character, { lines, width: Math.max(...lines.flat().map(([x]) => x)) }]
  }),
])

/** Undefined for a character that cannot be drawn. */
export function glyphOf(character: string): Glyph | undefined {
  return GLYPHS.get(character)
}

function pointOf(digits: string): Point {
  return [Number(digits[0]), Number(digits[1]) - BASELINE]
}

/** Marks above and below letters, which have no strokes of their own. */
const MARKS = /\p{M}/gu
/** Least share of the characters of a text that must be left. */
const DRAWN_SHARE = 0.5

/** The text with what can be drawn, accents left out; undefined where that is less than a half. */
export function drawable(text: string): string | undefined {
  const characters = [...text.normalize('NFKD').replace(MARKS, '').replaceAll('\u2212', '-')]
  const drawn = characters.filter((each) => glyphOf(each) !== undefined)
  const isEnough = drawn.length >= DRAWN_SHARE * characters.length
  const shown = drawn.join('').trim()
  return isEnough && shown !== '' ? shown : undefined
}
