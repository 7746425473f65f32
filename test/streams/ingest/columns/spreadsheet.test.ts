/**
 * Tables that went through a spreadsheet or a floating-point column: a cell that may have lost digits is refused with the
 * reason, in each field and unit, and never stored as exact.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { type Mapping, readMapping } from '../../../../streams/ingest/columns/mapping.ts'
import { CONTRACT } from '../../../../streams/ingest/contract.ts'
import { INT64, POSITIVE_INT64 } from '../../../../streams/ingest/rule.ts'
import { csvSource, errorOf, parquetSource, readTable } from '../../../support/events/read-table.ts'
import { MINT, NOW_MS, SIGNATURE, SWAP_LINE } from '../../../support/events/sample-event.ts'
import { type ParquetColumn, parquetOf } from '../../../support/events/tables.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'

type Cells = Record<string, string>
type Kind = keyof typeof CONTRACT

const SWAP: Cells = Object.fromEntries(
  Object.entries(SWAP_LINE).map(([name, value]) => [name, String(value)]),
)
const ROWS: Partial<Record<Kind, Cells>> = {
  swap: SWAP,
  pool_event: {
    kind: 'pool_event',
    event: 'liquidity_added',
    signature: SIGNATURE,
    slot: '7',
    timestamp: String(NOW_MS),
    pair_address: MINT,
    token_address: MINT,
    dex: '6',
  },
  token: { kind: 'token', token_address: MINT, slot: '7' },
}
const DELIMITERS = [',', '\t'] as const

/** Every amount of every kind of event. */
const AMOUNTS = Object.entries(ROWS).flatMap(([kind, row]) =>
  CONTRACT[kind as Kind]
    .filter(({ rule }) => rule === INT64 || rule === POSITIVE_INT64)
    .map(({ name, presence }) => ({ kind, row, name, isLenient: presence === 'lenient' })),
)

const wholeTokens = (row: Cells, name: string): Mapping => {
  const own = Object.keys(row).filter((each) => each !== 'kind')
  const fields = Object.fromEntries(own.map((each) => [each, each]))
  const kind = row.kind as string
  return readMapping(
    JSON.stringify({ kind, fields: { ...fields, [name]: { column: name, decimals: 9 } } }),
  )
}

/** The report of the only row, in a table of one row with this cell. */
async function reportOf(
  path: string,
  row: Cells,
  mapping?: Mapping,
  delimiter: ',' | '\t' = ',',
): Promise<{ count: number; report: string }> {
  await writeFile(path, stringify([Object.keys(row), Object.values(row)], { delimiter }))
  const { events, reports } = await readTable(csvSource(path, mapping, delimiter))
  return { count: events.length, report: reports.join('\n') }
}

const EXPONENTS = [
  '9.00720E+15',
  '9.00720e+15',
  '9.0072e15',
  '9E15',
  '-9.00720E+15',
  '+9.00720E+15',
  '9,00720E+15',
  '1.00000E-07',
  '1e0',
  '0E0',
  '9.00720E+15 ',
  '9.0072 x 10^15',
]

for (const { kind, row, name, isLenient } of AMOUNTS) {
  test(`refuses an exponent in ${name} of a ${kind}, in base units and in whole tokens`, async (t) => {
    const path = join(await temporaryFolder(t), 'table.csv')
    for (const cell of EXPONENTS) {
      const damaged = { ...row, [name]: cell }
      for (const delimiter of DELIMITERS) {
        for (const mapping of [undefined, wholeTokens(damaged, name)]) {
          const { count, report } = await reportOf(path, damaged, mapping, delimiter)
          t.is(count, isLenient ? 1 : 0, cell)
          t.regex(
            report,
            new RegExp(`^table.csv:2 ${name} "[^"]*": expected .*: it has an exponent`),
          )
          t.is(report.includes('the field is left out'), isLenient)
        }
      }
    }
  })
}

test('refuses every amount that was printed with an exponent, and reads its digits', async (t) => {
  const path = join(await temporaryFolder(t), 'table.csv')
  const positive = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n })
  await fc.assert(
    fc.asyncProperty(positive, fc.integer({ min: 0, max: 20 }), async (baseUnits, digits) => {
      const cell = Number(baseUnits).toExponential(digits)
      const refused = await reportOf(path, { ...SWAP, token_amount: cell })
      t.is(refused.count, 0)
      t.regex(refused.report, /it has an exponent/)
      t.deepEqual(await reportOf(path, { ...SWAP, token_amount: String(baseUnits) }), {
        count: 1,
        report: '',
      })
    }),
    { numRuns: 60 },
  )
})

/** Cells of an amount, with the reason for base units and for whole tokens; undefined: it is read. */
const POINT = /base units are whole: map whole tokens with \{"decimals": \.\.\.\}/
const SEPARATORS = /separators of thousands/
const CELLS: [cell: string, base: RegExp, whole: RegExp | undefined][] = [
  ['1000.0', POINT, undefined],
  ['1000.', POINT, /expected a decimal number/],
  ['1.234', POINT, undefined],
  ['1,234,567', SEPARATORS, SEPARATORS],
  ['1,234', SEPARATORS, SEPARATORS],
  ['1.234.567', SEPARATORS, SEPARATORS],
  ['1.234,56', SEPARATORS, SEPARATORS],
  ['12,34,567.5', SEPARATORS, SEPARATORS],
  ['1 234 567', SEPARATORS, SEPARATORS],
  ['1\u00a0234', SEPARATORS, SEPARATORS],
  ['1\u202f234,5', SEPARATORS, SEPARATORS],
  ["1'234", SEPARATORS, SEPARATORS],
  ['1_234', SEPARATORS, SEPARATORS],
  ['1234567,5', /decimal comma/, /decimal comma/],
  ['$1,234', /currency sign/, /currency sign/],
  ['◎1.5', /currency sign/, /currency sign/],
  ['1.5 €', /currency sign/, /currency sign/],
  ["'9007199254740993", /begins with an apostrophe/, /begins with an apostrophe/],
  ['="9007199254740993"', /formula of a spreadsheet/, /formula of a spreadsheet/],
  ['#VALUE!', /error of a spreadsheet/, /error of a spreadsheet/],
  ['########', /error of a spreadsheet/, /error of a spreadsheet/],
  ['(1000)', /in parentheses/, /in parentheses/],
  ['15%', /percent sign/, /percent sign/],
  ['+1000', /plus sign/, /plus sign/],
  ['0001', /leading zeros/, /leading zeros/],
  [' 1000', /white space/, /white space/],
  ['2026-07-20', /it is a date/, /it is a date/],
  ['7/20/2026', /it is a date/, /it is a date/],
  ['02-Jan', /it is a date/, /it is a date/],
  ['Jan-20', /it is a date/, /it is a date/],
  ['12:30', /it is a time/, /it is a time/],
  ['1 SOL', /expected an integer of 0 to 2\^63-1$/m, /expected a decimal number$/m],
]

for (const [cell, base, whole] of CELLS) {
  test(`refuses ${JSON.stringify(cell)} as an amount with the reason`, async (t) => {
    const path = join(await temporaryFolder(t), 'table.csv')
    const row = { ...SWAP, sol_amount: cell }
    const found = await reportOf(path, row)
    t.is(found.count, 0)
    t.regex(found.report, base)
    const mapped = await reportOf(path, row, wholeTokens(row, 'sol_amount'))
    if (whole === undefined) t.deepEqual(mapped, { count: 1, report: '' })
    else t.regex(mapped.report, whole)
  })
}

const OTHER_CELLS: [field: string, cell: string, reason: RegExp][] = [
  [
    'slot',
    '4.28E+08',
    /^.*slot "4.28E\+08": expected an integer of 0 to 2\^53-1: it has an exponent/,
  ],
  ['slot', '428,000,000', /separators of thousands/],
  ['timestamp', '1.78550E+12', /expected Unix time in ms: it has an exponent/],
  ['timestamp', '2E+12', /it has an exponent/],
  ['timestamp', '46223.5', /expected Unix time in ms: it is a number of days, as spreadsheets/],
  ['timestamp', '46223', /it is a number of days, as spreadsheets/],
  ['quote_decimals', '6E+00', /it has an exponent/],
  ['fee_bps', '2.5E+01', /it has an exponent/],
  ['dex', '1E+00', /expected 1 to \d+/],
  ['signature', '5.12E+87', /expected a signature: base58 of 64 bytes: it has an exponent/],
  ['user', '1.5E+44', /expected an address: base58 of 32 bytes: it has an exponent/],
  ['user', `${MINT.slice(0, 4)}...${MINT.slice(-4)}`, /it is shortened/],
  ['user', `${MINT.slice(0, 4)}…${MINT.slice(-4)}`, /it is shortened/],
  ['signature', SIGNATURE.slice(0, 60), /expected a signature: base58 of 64 bytes$/m],
  ['signature', `'${SIGNATURE}`, /begins with an apostrophe/],
  ['pair_address', `${MINT} `, /white space/],
]

for (const [field, cell, reason] of OTHER_CELLS) {
  test(`refuses ${JSON.stringify(cell)} as ${field} with the reason`, async (t) => {
    const path = join(await temporaryFolder(t), 'table.csv')
    const { count, report } = await reportOf(path, { ...SWAP, [field]: cell })
    t.is(count, 0)
    t.regex(report, reason)
  })
}

test('refuses an exponent and a number of days in each unit of a time', async (t) => {
  const path = join(await temporaryFolder(t), 'table.csv')
  for (const unit of ['s', 'ms', 'us', 'ns', 'iso', 'utc']) {
    const names = Object.keys(SWAP).filter((name) => name !== 'kind')
    const fields = {
      ...Object.fromEntries(names.map((name) => [name, name])),
      timestamp: { column: 'timestamp', unit },
    }
    const mapping = readMapping(JSON.stringify({ kind: 'swap', fields }))
    for (const cell of ['1.7855E+09', '46223.5']) {
      const { count, report } = await reportOf(path, { ...SWAP, timestamp: cell }, mapping)
      t.is(count, 0)
      t.regex(report, cell.includes('E') ? /exponent|a time like/ : /number of days/)
    }
  }
})

test('a price may have an exponent', async (t) => {
  const path = join(await temporaryFolder(t), 'table.csv')
  t.deepEqual(await reportOf(path, { ...SWAP, pool_price: '1.5E-09' }), { count: 1, report: '' })
})

const textColumns = (row: Cells): ParquetColumn[] =>
  Object.entries(row).map(([name, text]) => ({
    name,
    type: 'BYTE_ARRAY' as const,
    converted_type: 'UTF8' as const,
    cells: [text],
  }))

async function parquetReport(path: string, column: ParquetColumn): Promise<string> {
  const { [column.name]: _, ...row } = SWAP
  await writeFile(path, parquetOf([...textColumns(row), column]))
  const { events, reports } = await readTable(parquetSource(path))
  return events.length === 1 ? 'read' : reports.join('\n')
}

test('refuses an exponent and a point in texts of Parquet, and reads exact decimals', async (t) => {
  const path = join(await temporaryFolder(t), 'table.parquet')
  const text = { name: 'sol_amount', type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
  t.regex(await parquetReport(path, { ...text, cells: ['9.00720E+15'] }), /it has an exponent/)
  t.regex(await parquetReport(path, { ...text, cells: ['1000.0'] }), POINT)
  const decimal = { name: 'sol_amount', type: 'INT64', converted_type: 'DECIMAL' } as const
  const exact = { ...decimal, precision: 18, scale: 2 }
  t.is(await parquetReport(path, { ...exact, cells: [100_000n] }), 'read')
  t.regex(await parquetReport(path, { ...exact, cells: [100_050n] }), /expected an integer/)
})

for (const type of ['DOUBLE', 'FLOAT'] as const) {
  for (const { name, row } of AMOUNTS) {
    test(`refuses a ${type} column for ${name} of a ${row.kind}, in base units and in whole tokens`, async (t) => {
      const path = join(await temporaryFolder(t), 'table.parquet')
      const { [name]: _, ...others } = row
      const column: ParquetColumn = { name, type, cells: [2 ** 53] }
      await writeFile(path, parquetOf([...textColumns(others), column]))
      const withAmount = { ...others, [name]: '1' }
      for (const mapping of [undefined, wholeTokens(withAmount, name)]) {
        t.regex(
          await errorOf(t, parquetSource(path, mapping)),
          /has floating-point numbers, which are not exact/,
        )
      }
    })
  }
}

test('reads integers of floating-point columns up to where they are exact', async (t) => {
  const path = join(await temporaryFolder(t), 'table.parquet')
  const slot = (type: 'DOUBLE' | 'FLOAT', cell: number) =>
    parquetReport(path, { name: 'slot', type, cells: [cell] })
  t.is(await slot('DOUBLE', 428_000_001), 'read')
  t.is(await slot('DOUBLE', Number.MAX_SAFE_INTEGER), 'read')
  t.regex(await slot('DOUBLE', 2 ** 53), /expected at most 2\^53-1: greater floating-point numbers/)
  t.is(await slot('FLOAT', 2 ** 24), 'read')
  t.regex(
    await slot('FLOAT', 428_000_000),
    /expected at most 2\^24: greater floating-point numbers/,
  )
  const time = { name: 'timestamp', cells: [NOW_MS] }
  t.regex(await parquetReport(path, { ...time, type: 'FLOAT' }), /expected at most 2\^24/)
  t.is(await parquetReport(path, { ...time, type: 'DOUBLE' }), 'read')
})
