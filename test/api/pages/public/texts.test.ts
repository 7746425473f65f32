/** Texts that strangers wrote, heads that hold them, and pictures: without a server. */

import { inflateSync } from 'node:zlib'
import test from 'ava'
import fc from 'fast-check'
import { headElements, originBy, pageContent } from '../../../../api/pages/public/head.ts'
import { drawable, glyphOf } from '../../../../api/pages/public/picture/glyphs.ts'
import { encodePng } from '../../../../api/pages/public/picture/png.ts'
import { drawPreview, type Preview } from '../../../../api/pages/public/picture/preview.ts'
import { escaped, seenName } from '../../../../api/pages/public/texts.ts'

test('a name is shown without what cannot be seen or turns the line around, and cut', (t) => {
  for (const [given, seen] of [
    ['Bonk', 'Bonk'],
    [' a \n\t b ', 'a b'],
    ['a\u0000b\u001bc\u007fd', 'abcd'],
    ['\u202eevil\u202c', 'evil'],
    ['\u2066x\u2069\u200f\u061c', 'x'],
    ['a\u200bb\ufeffc\u2800', 'abc'],
    ['\ud800x\udfff', 'x'],
    ['שלום', 'שלום'],
    ['z\u0301\u0302\u0303\u0304', 'z\u0301\u0302'],
    ['<b>"x"</b>', '<b>"x"</b>'],
    ['x'.repeat(10_000), `${'x'.repeat(39)}…`],
    ['🐕'.repeat(50), `${'🐕'.repeat(39)}…`],
    ['', undefined],
    ['\u200b \u202e', undefined],
    [null, undefined],
  ] as const) {
    t.is(seenName(given), seen, JSON.stringify(given))
  }
})

const HOSTILE = [
  ...[
    '<',
    '>',
    '"',
    "'",
    '&',
    '&lt;',
    '</title>',
    '<script>',
    '-->',
    ']]>',
    'on=',
    'a',
    ' ',
    '\n',
    '\0',
  ],
  ...[
    '\u001b',
    '\u0085',
    '\u202e',
    '\u2066',
    '\u200f',
    '\ufeff',
    '\ufffe',
    '\ud800',
    '\udc00',
    '🐕',
    '\u0301',
  ],
]
/** No page may hold these: markup of a stranger, controls, characters that turn the line around, halves of a character. */
const BROKEN = /<script|[^\P{Cc}\n]|[\u2028-\u202e\u2066-\u2069]|[\ud800-\udfff]/u

test('no text leaves its element, its attribute or the language of XML', (t) => {
  const text = fc
    .array(fc.constantFrom(...HOSTILE), { maxLength: 30 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, (given) => {
      const name = seenName(given) ?? ''
      const head = headElements({ title: name, description: name, path: '/' }, 'https://a.example')
      const content = pageContent({ title: name, description: name })
      const values = Array.from(head.matchAll(/content="([^"]*)"/g), ([, value]) => String(value))
      const isWhole = values.length === head.split('<meta ').length - 1
      const isPlain = values.every((value) => !/[<>']/.test(value))
      const isEscaped = !/[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/.test(escaped(name))
      return !BROKEN.test(head) && !BROKEN.test(content) && isWhole && isPlain && isEscaped
    }),
    { numRuns: 200 },
  )
  t.pass()
})

test('an origin is taken from a header only where that is a host', (t) => {
  t.is(originBy('Swaptide.example', true), 'https://swaptide.example')
  t.is(originBy('127.0.0.1:8080', false), 'http://127.0.0.1:8080')
  t.is(originBy('[::1]:8080', false), 'http://[::1]:8080')
  for (const none of ['', 'a b', 'a"b', 'a/b', 'a@b', 'a:b', 'a<b>', '-a', 'a\\b', 'ä.example'])
    t.is(originBy(none, false), undefined, none)
})

test('without an origin a head has no URL, and a page that is not listed has noindex', (t) => {
  const head = headElements(
    { title: 'a', description: 'b', path: '/', picture: '/p.png' },
    undefined,
  )
  t.notRegex(head, /canonical|og:image|og:url|noindex/)
  t.regex(head, /twitter:card" content="summary"/)
  t.regex(
    headElements({ title: 'a', description: 'b' }, 'https://a.example'),
    /name="robots" content="noindex"/,
  )
})

const preview = (changes: Partial<Preview> = {}): Preview => ({
  title: 'BONK',
  otherTitle: 'DezX…B263',
  subtitle: 'Bonk',
  figures: [{ label: 'Price', text: '$0.0₄9654' }],
  line: [1, 2, 3],
  ...changes,
})

/** Pixels that are no background, in a part of the picture. */
function drawnIn(canvas: ReturnType<typeof drawPreview>, top: number, bottom: number): number {
  const { width, pixels } = canvas
  return pixels
    .subarray(top * width, bottom * width)
    .reduce((sum, value) => sum + Math.min(1, value), 0)
}

test('a picture is a PNG of the size that it states, and packs its pixels', async (t) => {
  const canvas = drawPreview(preview())
  const png = await encodePng(canvas)
  t.is(png.subarray(1, 4).toString(), 'PNG')
  t.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1_200, 630])
  const types: string[] = []
  let rows = Buffer.alloc(0)
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8)
    types.push(type)
    if (type === 'IDAT') rows = inflateSync(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  t.deepEqual(types, ['IHDR', 'PLTE', 'IDAT', 'IEND'])
  t.is(rows.length, 1_201 * 630)
  t.deepEqual(rows.subarray(1, 1_201), Buffer.from(canvas.pixels.subarray(0, 1_200)))
  t.true(png.length < 60_000, `${png.length} bytes`)
})

test('a picture draws title, figures and prices, whatever the name is', (t) => {
  const plain = drawPreview(preview())
  for (const [top, bottom] of [
    [130, 206],
    [342, 384],
    [430, 560],
  ] as const)
    t.true(drawnIn(plain, top, bottom) > 500)
  t.is(drawnIn(drawPreview(preview({ line: [] })), 430, 560), 0)
  // A name of another script gives way to the address; one of 10,000 letters is cut at the margin.
  t.deepEqual(
    drawPreview(preview({ title: '狗狗币' })),
    drawPreview(preview({ title: 'DezX…B263' })),
  )
  const long = drawPreview(preview({ title: 'W'.repeat(10_000) }))
  const right = Array.from({ length: 630 }, (_, y) => long.pixels[y * 1_200 + 1_140])
  t.deepEqual(new Set(right.slice(100, 210)), new Set([0]))
  for (const line of [
    [0, 0],
    [1e300, -1e300],
    [Number.MIN_VALUE, 1],
  ])
    t.notThrows(() => drawPreview(preview({ line })))
})

test('each character of addresses and figures has strokes', (t) => {
  const ALL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789$%+-.,:/()… ·'
  for (const character of ALL) t.not(glyphOf(character), undefined, character)
  t.is(drawable('Crème'), 'Creme')
  t.is(drawable('−1'), '-1')
  t.is(drawable('狗'), undefined)
  t.is(glyphOf('constructor'), undefined)
})
