/** Lines out of bytes: numbers, ends, limits, and the same lines however the bytes are cut. */
import { Buffer } from 'node:buffer'
import { memoryUsage } from 'node:process'
import test from 'ava'
import fc from 'fast-check'
import {
  ForeignInput,
  LINE_BYTES_MAX,
  type Line,
  readLines,
} from '../../../../streams/ingest/reading/ndjson.ts'
import { anyText } from '../../../support/events/any-text.ts'

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function linesOf(input: AsyncIterable<Uint8Array>): Promise<Line[]> {
  const lines: Line[] = []
  for await (const run of readLines(input)) lines.push(...run.lines)
  return lines
}

const read = (text: string | Uint8Array, size = 7) => linesOf(chunksOf(Buffer.from(text), size))

const CASES: [why: string, text: string, lines: [number: number, text: string][]][] = [
  ['an empty input has no lines', '', []],
  [
    'a line feed ends a line',
    'a\nb\n',
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  [
    'the last line feed may be missing',
    'a\nb',
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  // The carriage return stays: JSON reads it as white space.
  [
    'a carriage return before the line feed is fine',
    '{}\r\n{}\r\n',
    [
      [1, '{}\r'],
      [2, '{}\r'],
    ],
  ],
  ['blank lines are skipped and counted', '\n \t\r\n\na\n\n', [[4, 'a']]],
  [
    'a byte order mark is skipped at the beginning',
    '\ufeffa\nb',
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  // Two files joined, or a file that was saved with a mark twice.
  [
    'a byte order mark is skipped at the beginning of any line',
    'a\n\ufeffb\n\ufeff\n\ufeff\ufeffc\n',
    [
      [1, 'a'],
      [2, 'b'],
      [4, 'c'],
    ],
  ],
  ['a byte order mark is text elsewhere', 'a\ufeffb\ufeff\n', [[1, 'a\ufeffb\ufeff']]],
  [
    'a character that is cut by a block comes whole',
    'aé😀é\n😀',
    [
      [1, 'aé😀é'],
      [2, '😀'],
    ],
  ],
]

for (const [why, text, lines] of CASES) {
  test(why, async (t) => {
    const isEnded = text.endsWith('\n')
    const expected = lines.map(([number, line], index) => ({
      number,
      text: line,
      ...(isEnded || index < lines.length - 1 ? {} : { isUnended: true }),
    }))
    for (const size of [1, 2, 3, 1000]) t.deepEqual(await read(text, size), expected)
  })
}

test('a line with invalid UTF-8 is refused by itself, with its number', async (t) => {
  const bytes = Buffer.concat([
    Buffer.from('a\n\n'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('\nb\n'),
  ])
  for (const size of [1, 3, 1000]) {
    t.deepEqual(await read(bytes, size), [
      { number: 1, text: 'a' },
      { number: 3, text: '\ufffd\ufffd', error: 'expected UTF-8' },
      { number: 4, text: 'b' },
    ])
  }
})

test('a line of 1 MiB is read, one of a byte more is refused and the next is read', async (t) => {
  const most = 'x'.repeat(LINE_BYTES_MAX)
  const lines = await read(`${most}\n${most}y\nz\n${most}${most}`, 50_000)
  t.deepEqual(
    lines.map(({ number, text, error }) => [number, text.length, error]),
    [
      [1, LINE_BYTES_MAX, undefined],
      [2, 400, 'expected a line of at most 1 MiB'],
      [3, 1, undefined],
      [4, 400, 'expected a line of at most 1 MiB'],
    ],
  )
})

test('a line without end is not held in memory', async (t) => {
  const block = Buffer.alloc(2 ** 20, 'x')
  let most = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (let sent = 0; sent < 256; sent++) {
      yield block
      most = Math.max(most, memoryUsage().arrayBuffers)
    }
  }
  const before = memoryUsage().arrayBuffers
  const lines = await linesOf(endless())
  t.is(lines.length, 1)
  // 256 MiB were read; memory held the block, the room for one line and its copies.
  t.true(most - before < 32 * 2 ** 20, `${most - before} bytes`)
})

test('a source may use its buffer again', async (t) => {
  async function* reusing(): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.alloc(3)
    for (const text of ['{"a', '":1', '}\n{', '}\n ']) {
      buffer.write(text)
      yield buffer
    }
  }
  t.deepEqual(await linesOf(reusing()), [
    { number: 1, text: '{"a":1}' },
    { number: 2, text: '{}' },
  ])
})

/** The lines, or the kind of bytes that are no text. */
async function readOrKind(bytes: Uint8Array, size: number): Promise<Line[] | string> {
  try {
    return await read(bytes, size)
  } catch (error) {
    if (error instanceof ForeignInput) return error.message
    throw error
  }
}

test('any bytes give the same lines however they are cut', async (t) => {
  const bytes = fc
    .array(
      fc.oneof(
        fc.constantFrom(Buffer.from('\n'), Buffer.from('\r\n'), Buffer.from(' ')),
        anyText(5).map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 4 }),
      ),
    )
    .map((pieces) => Buffer.concat(pieces))
  await fc.assert(
    fc.asyncProperty(bytes, fc.integer({ min: 1, max: 20 }), async (given, size) => {
      const cut = await readOrKind(given, size)
      t.deepEqual(cut, await readOrKind(given, given.length + 1))
      if (typeof cut === 'string') return
      // A line feed byte is a line feed in any context: the numbers count them.
      const feeds = given.filter((byte) => byte === 10).length
      t.true(cut.every(({ number }) => number >= 1 && number <= feeds + 1))
    }),
    { numRuns: 500 },
  )
})
