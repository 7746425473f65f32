/** Mappings of columns: cells as values of the contract, and what a mapping may not contain. */
import test from 'ava'
import { BY_NAME, readMapping } from '../../../../streams/ingest/columns/mapping.ts'
import { type Column, rowReader } from '../../../../streams/ingest/columns/row-reader.ts'
import { explainRefusal } from '../../../../streams/ingest/refusal.ts'
import {
  MINT,
  NOW_MS,
  POOL,
  SIGNATURE,
  SWAP_LINE,
  WALLET,
} from '../../../support/events/sample-event.ts'

const BASE: Record<string, string> = Object.fromEntries(
  Object.entries(SWAP_LINE).map(([name, value]) => [name, String(value)]),
)
const SOL = 'So11111111111111111111111111111111111111112'

/** The swap of a row, or the reports that refuse it. `fields`: sources in addition to the columns of the contract's names. */
function readSwap(
  cells: Record<string, string>,
  fields: Record<string, unknown>,
  empty: string[] = [],
) {
  const row = { ...BASE, ...cells }
  const names = Object.keys(row)
  const own = Object.keys(BASE).filter((name) => name !== 'kind')
  const sources = { ...Object.fromEntries(own.map((name) => [name, name])), ...fields }
  const mapping = readMapping(JSON.stringify({ kind: 'swap', fields: sources, empty }))
  const reader = rowReader(
    mapping,
    names.map((name) => ({ name })),
  )
  const parsed = reader.read(
    reader.used.map((name) => row[name]),
    NOW_MS,
  )
  if ('refusals' in parsed) return parsed.refusals.map(explainRefusal)
  if (parsed.event.kind !== 'swap') throw new Error(`a swap became "${parsed.event.kind}"`)
  return parsed.event.swap
}

type Case = [
  cells: Record<string, string>,
  fields: Record<string, unknown>,
  expected: object | RegExp,
]

const SOL_AMOUNT = { sol_amount: { column: 'amount', decimals: 9 } }
const AT = { timestamp: { column: 'at', unit: 'iso' } }
const INT64_MAX = 2n ** 63n - 1n

const CASES: Record<string, Case> = {
  'an integer of 2^63-1': [{ sol_amount: '9223372036854775807' }, {}, { solAmount: INT64_MAX }],
  'an integer of 2^63 is refused': [
    { sol_amount: '9223372036854775808' },
    {},
    /^sol_amount "?9223372036854775808"?: expected an integer of 0 to 2\^63-1$/,
  ],
  'a negative integer is refused': [
    { sol_amount: '-1' },
    {},
    /^sol_amount -1: expected an integer/,
  ],
  'an exponent is refused': [
    { sol_amount: '1e3' },
    {},
    /^sol_amount "1e3": expected an integer of 0 to 2\^63-1: it has an exponent/,
  ],
  'an integer that a double rounds': [
    { sol_amount: '9007199254740993' },
    {},
    { solAmount: 9_007_199_254_740_993n },
  ],
  'a fraction of a base unit is refused': [
    { sol_amount: '1.5' },
    {},
    /^sol_amount "1.5": expected an integer/,
  ],
  'separators of thousands are refused': [
    { sol_amount: '1,000' },
    {},
    /^sol_amount "1,000": expected/,
  ],
  'a plus and leading zeros are refused': [
    { sol_amount: '+1', token_amount: '01' },
    {},
    /^sol_amount "\+1": .*token_amount "01": /s,
  ],
  'white space about an integer is refused': [
    { slot: ' 7' },
    {},
    /^slot " 7": expected an integer/,
  ],
  'Infinity and hexadecimal digits are refused': [
    { sol_amount: 'Infinity', slot: '0x10' },
    {},
    /slot "0x10".*sol_amount "Infinity"/s,
  ],
  'an absent required field is refused': [{ user: '' }, {}, /^user absent: expected an address/],
  'an absent field of another column names it': [
    { trader: '' },
    { user: 'trader' },
    /^user absent: .* \(column "trader"\)$/,
  ],
  'an empty optional field is absent': [{ fee: '' }, { fee: 'fee' }, { fee: 0 }],
  'texts of the mapping are absent values': [{ fee: 'NULL' }, { fee: 'fee' }, { fee: 0 }],
  'whole SOL as lamports': [{ amount: '1.5' }, SOL_AMOUNT, { solAmount: 1_500_000_000 }],
  'nine decimals beyond a double': [
    { amount: '9007199.254740993' },
    SOL_AMOUNT,
    { solAmount: 9_007_199_254_740_993n },
  ],
  'the greatest amount in SOL': [
    { amount: '9223372036.854775807' },
    SOL_AMOUNT,
    { solAmount: INT64_MAX },
  ],
  'one lamport more is refused': [
    { amount: '9223372036.854775808' },
    SOL_AMOUNT,
    /^sol_amount 9223372036854775808: .* \(column "amount"\)$/,
  ],
  'zeros beyond the decimals': [
    { amount: '0.100000000000000000' },
    SOL_AMOUNT,
    { solAmount: 100_000_000 },
  ],
  'a tenth digit is refused': [
    { amount: '0.1000000001' },
    SOL_AMOUNT,
    /^sol_amount "0.1000000001": expected at most 9 digits after the point/,
  ],
  'an amount with an exponent is refused': [
    { amount: '1.5e-8' },
    SOL_AMOUNT,
    /^sol_amount "1.5e-8": expected a decimal number: it has an exponent.*\(column "amount"\)$/,
  ],
  'a text as an amount is refused': [
    { amount: '1 SOL' },
    SOL_AMOUNT,
    /^sol_amount "1 SOL": expected a decimal number \(column "amount"\)$/,
  ],
  'decimals of a column': [
    { amount: '2.5', d: '3' },
    { token_amount: { column: 'amount', decimals: 'd' } },
    { tokenAmount: 2_500 },
  ],
  'invalid decimals of a column are refused': [
    { amount: '2.5', d: '19' },
    { token_amount: { column: 'amount', decimals: 'd' } },
    /^token_amount "2.5": its decimals in column "d" are "19": expected an integer of 0 to 18/,
  ],
  'closed values': [
    { side: 'SELL' },
    { is_buy: { column: 'side', values: { BUY: true, SELL: false } } },
    { isBuy: false },
  ],
  'a value that is not listed is refused': [
    { side: 'SWAP' },
    { is_buy: { column: 'side', values: { BUY: true, SELL: false } } },
    /^is_buy "SWAP": expected one of "BUY" "SELL", the values of the mapping \(column "side"\)$/,
  ],
  'booleans in any case': [{ is_buy: 'False' }, {}, { isBuy: false }],
  'other words for booleans are refused': [
    { is_buy: 'yes' },
    {},
    /^is_buy "yes": expected true or false$/,
  ],
  'a constant': [{}, { quote_decimals: { value: 9 } }, { quoteDecimals: 9 }],
  'a venue by its id': [{ dex: '6' }, {}, { dex: 6 }],
  'a venue by its name': [{ dex: 'venue_2' }, {}, { dex: 2 }],
  'a venue by the name of its program': [{ dex: 'pumpswap' }, {}, { dex: 2 }],
  'a venue by its program': [
    { dex: 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc' },
    {},
    { dex: 6 },
  ],
  'a venue by values of the mapping': [
    { dex: 'whirlpool' },
    { dex: { column: 'dex', values: { whirlpool: 'orca' } } },
    { dex: 6 },
  ],
  'an unknown venue is refused': [
    { dex: 'whirlpool' },
    {},
    /^dex "whirlpool": expected 1 to \d+, venue_1 to venue_\d+, or one of pumpfun /,
  ],
  'an unknown id of a venue is refused': [
    { dex: '99' },
    {},
    /^dex 99: expected a venue: an integer of 1 to \d+$/,
  ],
  'a time with its zone by name': [
    { at: '2026-07-31 12:00:00.123 UTC' },
    AT,
    { timestamp: Date.UTC(2026, 6, 31, 12, 0, 0, 123) },
  ],
  'a time with an offset': [
    { at: '2026-07-31T12:00:00+02:00' },
    AT,
    { timestamp: Date.UTC(2026, 6, 31, 10) },
  ],
  'a time without a zone is refused': [
    { at: '2026-07-31 12:00:00' },
    AT,
    /^timestamp "2026-07-31 12:00:00": without a zone: map it with {"unit": "utc"} \(column "at"\)$/,
  ],
  'a time without a zone, of UTC': [
    { at: '2026-07-31 12:00:00' },
    { timestamp: { column: 'at', unit: 'utc' } },
    { timestamp: Date.UTC(2026, 6, 31, 12) },
  ],
  'a day that the calendar lacks is refused': [
    { at: '2026-02-30 12:00:00Z' },
    AT,
    /^timestamp "2026-02-30 12:00:00Z": the calendar has no day 2026-02-30/,
  ],
  'a date alone is refused': [
    { at: '2026-07-31' },
    AT,
    /^timestamp "2026-07-31": expected a time like/,
  ],
  'seconds with a fraction': [
    { at: '1785499200.1239' },
    { timestamp: { column: 'at', unit: 's' } },
    { timestamp: 1_785_499_200_123 },
  ],
  'microseconds, cut to milliseconds': [
    { at: '1785499200123999' },
    { timestamp: { column: 'at', unit: 'us' } },
    { timestamp: 1_785_499_200_123 },
  ],
  nanoseconds: [
    { at: '1785499200123999999' },
    { timestamp: { column: 'at', unit: 'ns' } },
    { timestamp: 1_785_499_200_123 },
  ],
  'seconds as milliseconds are refused': [
    { timestamp: '1785499200' },
    {},
    /^timestamp 1785499200: expected Unix milliseconds/,
  ],
  'a time ahead of the clock is refused': [
    { timestamp: String(NOW_MS + 600_001) },
    {},
    /^timestamp 1785543000001: expected a time at most 10 minutes ahead/,
  ],
}

for (const [name, [cells, fields, expected]] of Object.entries(CASES)) {
  test(`reads ${name}`, (t) => {
    const found = readSwap(cells, fields, ['NULL'])
    if (expected instanceof RegExp) t.regex((found as string[]).join('\n'), expected)
    else t.like(found, expected)
  })
}

/** A table of two tokens, bought and sold, of which one is SOL. */
const SIDES = ['token_sold', 'token_bought'] as const
const byCase = (sold: unknown, bought: unknown) => ({
  cases: [
    { column: 'token_sold', is: SOL, use: sold },
    { column: 'token_bought', is: SOL, use: bought },
  ],
})
const PAIR_FIELDS = {
  is_buy: byCase({ value: true }, { value: false }),
  token_address: byCase('token_bought', 'token_sold'),
  sol_amount: byCase('sold_raw', 'bought_raw'),
  token_amount: byCase('bought_raw', 'sold_raw'),
}
const pair = (sold: string, bought: string) =>
  readSwap({ [SIDES[0]]: sold, [SIDES[1]]: bought, sold_raw: '11', bought_raw: '22' }, PAIR_FIELDS)

test('cases turn a table of sold and bought tokens into buys and sells', (t) => {
  t.like(pair(SOL, MINT), { isBuy: true, tokenAddress: MINT, solAmount: 11, tokenAmount: 22 })
  t.like(pair(MINT, SOL), { isBuy: false, tokenAddress: MINT, solAmount: 22, tokenAmount: 11 })
})

test('a row to which no case applies is refused', (t) => {
  const reports = pair(MINT, POOL) as string[]
  t.is(reports.length, 4)
  t.is(
    reports[0],
    `token_address "${MINT}": no case applies: expected "${SOL}" in column "token_sold" or "${SOL}" in column "token_bought"`,
  )
})

test('the kind may come from a column, with values', (t) => {
  const mapping = readMapping(
    JSON.stringify({
      kind: { column: 'type', values: { trade: 'swap', mint: 'token' } },
      fields: { token_address: 'mint', symbol: 'symbol' },
    }),
  )
  const reader = rowReader(mapping, [{ name: 'type' }, { name: 'mint' }, { name: 'symbol' }])
  const read = (type: string, symbol: string) => {
    const cells: Record<string, string> = { type, mint: MINT, symbol }
    return reader.read(
      reader.used.map((name) => cells[name]),
      NOW_MS,
    )
  }
  t.deepEqual(read('mint', 'X'), {
    event: { kind: 'token', token: { tokenAddress: MINT, slot: 0, symbol: 'X' } },
  })
  const trade = read('trade', '')
  t.true('refusals' in trade && trade.refusals.some(({ field }) => field === 'signature'))
  const order = read('order', '')
  t.deepEqual('refusals' in order && order.refusals.map(explainRefusal), [
    'kind "order": expected one of "trade" "mint", the values of the mapping (column "type")',
  ])
  const absent = read('', '')
  t.deepEqual('refusals' in absent && absent.refusals.map(explainRefusal), [
    'kind absent: expected one of swap pool_event token retract (column "type")',
  ])
})

test('a lenient field that cannot be used is left out with its column', (t) => {
  const mapping = readMapping(
    '{"kind":"token","fields":{"token_address":"m","supply":{"column":"s","decimals":2}}}',
  )
  const reader = rowReader(mapping, [{ name: 'm' }, { name: 's' }])
  const parsed = reader.read([MINT, '1.555'], NOW_MS)
  t.true('event' in parsed)
  t.deepEqual('event' in parsed && parsed.warnings?.map(explainRefusal), [
    'supply "1.555": expected at most 2 digits after the point: the token has no more: the field is left out (column "s")',
  ])
})

const named = (...names: string[]): Column[] => names.map((name) => ({ name }))

test('a float may be a slot or a price, and a column twice that is not used does no harm', (t) => {
  const columns: Column[] = [
    ...named(...Object.keys(SWAP_LINE).filter((name) => name !== 'slot'), 'x', 'x'),
    { name: 'slot', isFloat: true },
    { name: 'pool_price', isFloat: true },
  ]
  const reader = rowReader(BY_NAME, columns)
  const cells: Record<string, string> = { ...BASE, pool_price: '1.5e-9' }
  const parsed = reader.read(
    reader.used.map((name) => cells[name]),
    NOW_MS,
  )
  t.true(
    'event' in parsed && parsed.event.kind === 'swap' && parsed.event.swap.poolPrice === 1.5e-9,
  )
  t.false(reader.used.includes('x'))
})

test('a row by the names of the contract is the swap that its line is', (t) => {
  t.like(readSwap({}, {}), { signature: SIGNATURE, user: WALLET, pairAddress: POOL, slot: 400 })
})
