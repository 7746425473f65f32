/** Records of CSV: what a reader of RFC 4180 must return, and how little a broken record costs. */
import test from 'ava'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { type CsvRecord, CsvRecords } from '../../../../streams/ingest/columns/csv-records.ts'
import { readLines } from '../../../../streams/ingest/reading/ndjson.ts'

async function* chunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(text: string, delimiter = ',', size = 65_536): Promise<CsvRecord[]> {
  const csv = new CsvRecords(delimiter)
  const records: CsvRecord[] = []
  for await (const { lines } of readLines(chunks(text, size), undefined, true)) {
    records.push(...csv.add(lines))
  }
  return [...records, ...csv.end()]
}

/** `[line, cells]`, or `[line, reason]`. */
const shown = (records: readonly CsvRecord[]): [number, string[] | string][] =>
  records.map((record) => [record.number, 'cells' in record ? record.cells : record.error])

const UNCLOSED = 'expected the quoted cell to be closed'
const AFTER_QUOTE = /^expected the delimiter after a closing quote/

const CASES: [name: string, text: string, expected: [number, string[]][]][] = [
  [
    'plain cells, empty ones included',
    'a,b,\n,,c\n',
    [
      [1, ['a', 'b', '']],
      [2, ['', '', 'c']],
    ],
  ],
  ['quoted delimiters and doubled quotes', '"a,b","c""d",""\n', [[1, ['a,b', 'c"d', '']]]],
  [
    'line feeds in cells, with the line of each record',
    'a\n"b\n\nc",d\ne\n',
    [
      [1, ['a']],
      [2, ['b\n\nc', 'd']],
      [5, ['e']],
    ],
  ],
  [
    'CRLF at the ends, and within a cell as it is',
    'a,b\r\n"c\r\nd",e\r\n',
    [
      [1, ['a', 'b']],
      [2, ['c\r\nd', 'e']],
    ],
  ],
  [
    'blank lines between records, which count',
    'a\n\n \nb\n',
    [
      [1, ['a']],
      [4, ['b']],
    ],
  ],
  ['a byte order mark', '\ufeffa,b\n', [[1, ['a', 'b']]]],
  ['a quote within an unquoted cell as it is', '5" disk,b\n', [[1, ['5" disk', 'b']]]],
  ['a quoted cell last before CRLF', 'a,"b"\r\n', [[1, ['a', 'b']]]],
  ['Unicode', 'é,"日本\n🙂"\n', [[1, ['é', '日本\n🙂']]]],
]

for (const [name, text, expected] of CASES) {
  test(`reads ${name}`, async (t) => {
    for (const size of [1, 3, 65_536]) t.deepEqual(shown(await read(text, ',', size)), expected)
  })
}

test('reads tabs as delimiters and commas as text', async (t) => {
  t.deepEqual(shown(await read('a,b\t"c\td"\n', '\t')), [[1, ['a,b', 'c\td']]])
})

test('a quote that is not closed costs its line only', async (t) => {
  const rows = Array.from({ length: 2_500 }, (_, index) => `row ${index},x`)
  const records = shown(await read(`a,b\n"c,d\n${rows.join('\n')}\n`))
  t.deepEqual(records.slice(0, 4), [
    [1, ['a', 'b']],
    [2, UNCLOSED],
    [3, ['row 0', 'x']],
    [4, ['row 1', 'x']],
  ])
  t.is(records.length, 2_502)
})

test('a quote that is not closed costs its line only where a later row has quotes', async (t) => {
  const records = shown(await read('"a,b\nc,d\n"e",f\n"g"x,h\ni,j\n'))
  t.deepEqual(
    records.map(([line]) => line),
    [1, 2, 3, 4, 5],
  )
  t.regex(String(records[0]?.[1]), AFTER_QUOTE)
  t.deepEqual(records[2], [3, ['e', 'f']])
  t.regex(String(records[3]?.[1]), AFTER_QUOTE)
  t.deepEqual(records[4], [5, ['i', 'j']])
})

test('a line of invalid UTF-8 is refused, within a quoted cell with the line that it began on', async (t) => {
  const csv = new CsvRecords(',')
  const bytes = Buffer.concat([
    Buffer.from('a,"b\n'),
    Buffer.from([0xff, 10]),
    Buffer.from('c,d\n'),
  ])
  async function* once(): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  const records: CsvRecord[] = []
  for await (const { lines } of readLines(once(), undefined, true)) records.push(...csv.add(lines))
  t.deepEqual(shown(records), [
    [1, UNCLOSED],
    [2, 'expected UTF-8'],
    [3, ['c', 'd']],
  ])
})

test('a last line without a line feed is refused: a number that was cut off is another number', async (t) => {
  const records = shown(await read('a,b\nc,123'))
  t.deepEqual(records[0], [1, ['a', 'b']])
  t.regex(String(records[1]?.[1]), /no line feed: is it truncated\?/)
})

const cells = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', ' ', '1', '🙂') })

test('reads back what another program wrote, in chunks of any size', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cells, { minLength: 2, maxLength: 4 }), { minLength: 1 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 50 }),
      async (rows, isQuoted, size) => {
        const text = stringify(rows, { quoted: isQuoted, quoted_match: /[\r ]/ })
        const records = await read(text, ',', size)
        t.deepEqual(
          records.map((record) => ('cells' in record ? record.cells : record.error)),
          rows,
        )
      },
    ),
  )
})

test('any text at all yields records in the order of its lines', async (t) => {
  const hostile = fc.string({ unit: fc.constantFrom('"', '""', ',', '\n', '\r\n', 'a', '\0', 'é') })
  await fc.assert(
    fc.asyncProperty(hostile, async (text) => {
      const numbers = (await read(`ab${text}`)).map(({ number }) => number)
      t.deepEqual(
        numbers,
        [...new Set(numbers)].toSorted((a, b) => a - b),
      )
    }),
  )
})
