/** Every refusal of the ingest contract, hand-written: the field, its value as shown, the expected one. */
import test from 'ava'
import { DEX_MAX } from '../../../domain/venue.ts'
import { parseEvent } from '../../../streams/ingest/contract.ts'
import { explainRefusal, type Refusal } from '../../../streams/ingest/refusal.ts'
import {
  ABSENT,
  lineWith,
  MINT,
  NOW_MS,
  POOL_EVENT_LINE,
  raw,
  SIGNATURE,
  SWAP_LINE,
  TOKEN_LINE,
  WALLET,
} from '../../support/events/sample-event.ts'

function refusalsOf(line: string): Refusal[] {
  const result = parseEvent(line, NOW_MS)
  return 'refusals' in result ? result.refusals : []
}

const SIGNATURE_EXPECTED = 'expected a signature: base58 of 64 bytes'
const ADDRESS_EXPECTED = 'expected an address: base58 of 32 bytes'
const SAFE_EXPECTED = 'expected an integer of 0 to 2^53-1'
const INT32_EXPECTED = 'expected an integer of 0 to 2147483647'
const INT64_EXPECTED = 'expected an integer of 0 to 2^63-1'
const POSITIVE_EXPECTED = 'expected an integer of 1 to 2^63-1'
const DECIMALS_EXPECTED = 'expected an integer of 0 to 18'
const DEX_EXPECTED = `expected a venue: an integer of 1 to ${DEX_MAX}`
const TIMESTAMP_EXPECTED = 'expected Unix milliseconds of 2020-01-01 to 2099-12-31'
const AHEAD_EXPECTED = 'expected a time at most 10 minutes ahead of the clock here'
const PRICE_EXPECTED = 'expected a finite number of 0 or more'
const EVENT_EXPECTED = 'expected one of created migrated liquidity_added liquidity_removed'

type Case = [
  why: string,
  base: object,
  name: string,
  value: unknown,
  shown: string | undefined,
  reason: string,
]

const REFUSED: Case[] = [
  ['a missing signature', SWAP_LINE, 'signature', ABSENT, undefined, SIGNATURE_EXPECTED],
  ['a number as signature', SWAP_LINE, 'signature', 5, '5', SIGNATURE_EXPECTED],
  ['an address as signature', SWAP_LINE, 'signature', MINT, `"${MINT}"`, SIGNATURE_EXPECTED],
  ['a signature with a 0', SWAP_LINE, 'signature', '0', '"0"', SIGNATURE_EXPECTED],
  ['a missing slot', SWAP_LINE, 'slot', ABSENT, undefined, SAFE_EXPECTED],
  ['a slot as text', SWAP_LINE, 'slot', '400', '"400"', SAFE_EXPECTED],
  ['a null slot', SWAP_LINE, 'slot', null, 'null', SAFE_EXPECTED],
  ['a slot below 0', SWAP_LINE, 'slot', -1, '-1', SAFE_EXPECTED],
  // 2^53: orders are subtractions of doubles, so not one more than exact.
  ['a slot of 2^53', SWAP_LINE, 'slot', raw('9007199254740992'), '9007199254740992', SAFE_EXPECTED],
  ['a missing timestamp', SWAP_LINE, 'timestamp', ABSENT, undefined, TIMESTAMP_EXPECTED],
  // Seconds instead of milliseconds: January 1970.
  ['a time in seconds', SWAP_LINE, 'timestamp', 1_757_782_395, '1757782395', TIMESTAMP_EXPECTED],
  // One millisecond before 2020-01-01T00:00:00Z.
  [
    'a time in 2019',
    SWAP_LINE,
    'timestamp',
    1_577_836_799_999,
    '1577836799999',
    TIMESTAMP_EXPECTED,
  ],
  [
    'a broken time',
    SWAP_LINE,
    'timestamp',
    1_757_782_395_000.5,
    '1757782395000.5',
    TIMESTAMP_EXPECTED,
  ],
  [
    'a time in microseconds',
    SWAP_LINE,
    'timestamp',
    1_785_542_400_000_000,
    '1785542400000000',
    TIMESTAMP_EXPECTED,
  ],
  // 10 minutes and 1 ms ahead of 2026-08-01T00:00:00Z.
  [
    'a time ahead of the clock',
    SWAP_LINE,
    'timestamp',
    1_785_543_000_001,
    '1785543000001',
    AHEAD_EXPECTED,
  ],
  ['a missing mint', SWAP_LINE, 'token_address', ABSENT, undefined, ADDRESS_EXPECTED],
  [
    'a signature as mint',
    SWAP_LINE,
    'token_address',
    SIGNATURE,
    `"${SIGNATURE.slice(0, 80)}"`,
    ADDRESS_EXPECTED,
  ],
  ['a null pool', SWAP_LINE, 'pair_address', null, 'null', ADDRESS_EXPECTED],
  ['an empty wallet', SWAP_LINE, 'user', '', '""', ADDRESS_EXPECTED],
  ['a wallet in a list', SWAP_LINE, 'user', [WALLET], `["${WALLET}"]`, ADDRESS_EXPECTED],
  ['a side as number', SWAP_LINE, 'is_buy', 1, '1', 'expected true or false'],
  ['a missing side', SWAP_LINE, 'is_buy', ABSENT, undefined, 'expected true or false'],
  ['venue 0', SWAP_LINE, 'dex', 0, '0', DEX_EXPECTED],
  ['an unknown venue', SWAP_LINE, 'dex', 99, '99', DEX_EXPECTED],
  ['a venue by name', SWAP_LINE, 'dex', 'venue_1', '"venue_1"', DEX_EXPECTED],
  ['a missing venue', SWAP_LINE, 'dex', ABSENT, undefined, DEX_EXPECTED],
  ['missing lamports', SWAP_LINE, 'sol_amount', ABSENT, undefined, INT64_EXPECTED],
  ['negative lamports', SWAP_LINE, 'sol_amount', -1, '-1', INT64_EXPECTED],
  ['broken lamports', SWAP_LINE, 'sol_amount', 1.5, '1.5', INT64_EXPECTED],
  ['lamports as text', SWAP_LINE, 'sol_amount', '20000', '"20000"', INT64_EXPECTED],
  // 2^63: shown digit for digit.
  [
    'lamports of 2^63',
    SWAP_LINE,
    'sol_amount',
    raw('9223372036854775808'),
    '9223372036854775808',
    INT64_EXPECTED,
  ],
  [
    'lamports of -2^63',
    SWAP_LINE,
    'sol_amount',
    raw('-9223372036854775808'),
    '-9223372036854775808',
    INT64_EXPECTED,
  ],
  // 9007199254740992.5 would be read as 2^53 without its fraction: it is shown as its text.
  [
    'a fraction beyond 2^53',
    SWAP_LINE,
    'sol_amount',
    raw('9007199254740992.5'),
    '"9007199254740992.5"',
    INT64_EXPECTED,
  ],
  ['lamports beyond a double', SWAP_LINE, 'sol_amount', raw('1e999'), 'Infinity', INT64_EXPECTED],
  ['no base units', SWAP_LINE, 'token_amount', 0, '0', POSITIVE_EXPECTED],
  ['missing base units', SWAP_LINE, 'token_amount', ABSENT, undefined, POSITIVE_EXPECTED],
  ['a negative fee', SWAP_LINE, 'fee', -1, '-1', INT64_EXPECTED],
  // An absent one is 0; null means that the producer intended a value.
  ['a null fee', SWAP_LINE, 'fee', null, 'null', INT64_EXPECTED],
  ['a fee of 2^31 bps', SWAP_LINE, 'fee_bps', 2_147_483_648, '2147483648', INT32_EXPECTED],
  ['a broken fee', SWAP_LINE, 'fee_bps', 0.3, '0.3', INT32_EXPECTED],
  ['a creator fee as text', SWAP_LINE, 'creator_fee', '1', '"1"', INT64_EXPECTED],
  ['negative creator bps', SWAP_LINE, 'creator_fee_bps', -1, '-1', INT32_EXPECTED],
  ['a negative pool price', SWAP_LINE, 'pool_price', -0.1, '-0.1', PRICE_EXPECTED],
  ['a price before as text', SWAP_LINE, 'price_before', '1', '"1"', PRICE_EXPECTED],
  ['an infinite price after', SWAP_LINE, 'price_after', raw('1e999'), 'Infinity', PRICE_EXPECTED],
  ['8 decimals of SOL', SWAP_LINE, 'base_decimals', 8, '8', 'expected 9, the decimals of SOL'],
  ['19 decimals', SWAP_LINE, 'quote_decimals', 19, '19', DECIMALS_EXPECTED],
  ['missing decimals', SWAP_LINE, 'quote_decimals', ABSENT, undefined, DECIMALS_EXPECTED],
  ['a negative reserve', SWAP_LINE, 'virtual_sol_reserves', -1, '-1', INT64_EXPECTED],
  ['a reserve as text', SWAP_LINE, 'virtual_token_reserves', '1', '"1"', INT64_EXPECTED],
  ['a reserve of true', SWAP_LINE, 'real_sol_reserves', true, 'true', INT64_EXPECTED],
  ['a broken reserve', SWAP_LINE, 'real_token_reserves', 0.1, '0.1', INT64_EXPECTED],
  ['a negative fee in', SWAP_LINE, 'transfer_fee_in', -5, '-5', INT64_EXPECTED],
  ['a fee out in an object', SWAP_LINE, 'transfer_fee_out', { a: 1 }, '{"a":1}', INT64_EXPECTED],
  ['negative cashback', SWAP_LINE, 'cashback', -5, '-5', INT64_EXPECTED],
  ['broken cashback bps', SWAP_LINE, 'cashback_bps', 1.5, '1.5', INT32_EXPECTED],
  [
    'a block index of 2^53',
    SWAP_LINE,
    'block_tx_index',
    2 ** 53,
    '9007199254740992',
    SAFE_EXPECTED,
  ],
  ['an index of 2^31', SWAP_LINE, 'ix_index', 2 ** 31, '2147483648', INT32_EXPECTED],
  ['a negative time source', SWAP_LINE, 'time_source', -1, '-1', INT32_EXPECTED],
  ['an agent trade of true', SWAP_LINE, 'agent_trade', true, 'true', INT32_EXPECTED],
  ['an unknown pool event', POOL_EVENT_LINE, 'event', 'burned', '"burned"', EVENT_EXPECTED],
  ['a missing pool event', POOL_EVENT_LINE, 'event', ABSENT, undefined, EVENT_EXPECTED],
  ['an event without slot', POOL_EVENT_LINE, 'slot', ABSENT, undefined, SAFE_EXPECTED],
  [
    'an event ahead of the clock',
    POOL_EVENT_LINE,
    'timestamp',
    1_785_543_000_001,
    '1785543000001',
    AHEAD_EXPECTED,
  ],
  ['a bad event creator', POOL_EVENT_LINE, 'creator', 'x', '"x"', ADDRESS_EXPECTED],
  ['a bad curve', POOL_EVENT_LINE, 'from_pair', 7, '7', ADDRESS_EXPECTED],
  ['negative liquidity', POOL_EVENT_LINE, 'sol_amount', -1, '-1', INT64_EXPECTED],
  ['broken liquidity', POOL_EVENT_LINE, 'token_amount', 0.5, '0.5', INT64_EXPECTED],
  ['a token without mint', TOKEN_LINE, 'token_address', ABSENT, undefined, ADDRESS_EXPECTED],
  ['a token slot below 0', TOKEN_LINE, 'slot', -1, '-1', SAFE_EXPECTED],
  [
    'an unknown kind',
    SWAP_LINE,
    'kind',
    'trade',
    '"trade"',
    'expected "swap", "pool_event", "token" or "retract"',
  ],
  [
    'a missing kind',
    SWAP_LINE,
    'kind',
    ABSENT,
    undefined,
    'expected "swap", "pool_event", "token" or "retract"',
  ],
]

for (const [why, base, name, value, shown, reason] of REFUSED) {
  test(`${why} is refused as ${name}`, (t) => {
    t.deepEqual(refusalsOf(lineWith(base, name, value)), [{ field: name, value: shown, reason }])
  })
}

const NO_OBJECTS: [why: string, line: string, shown: string][] = [
  ['half an object', '{"kind":"swap"', '{"kind":"swap"'],
  ['a list', '[1]', '[1]'],
  ['null', 'null', 'null'],
  ['a text', '"swap"', '"swap"'],
  ['a trailing comma', '{"kind":"swap",}', '{"kind":"swap",}'],
  ['two objects', '{}{}', '{}{}'],
  ['not a number', '{"slot":NaN}', '{"slot":NaN}'],
  // Control characters that would move a terminal's cursor are escaped.
  ['an escape sequence', '\u001b[2J', '\\u001b[2J'],
  ['a long line', 'x'.repeat(500), 'x'.repeat(80)],
  // 79 characters and half of an emoji: the half is left out.
  ['a cut through a character', `${'x'.repeat(79)}😀`, 'x'.repeat(79)],
  ['nesting deeper than the stack', '['.repeat(500_000), '['.repeat(80)],
]

for (const [why, line, shown] of NO_OBJECTS) {
  test(`${why} is refused as a line`, (t) => {
    t.deepEqual(refusalsOf(line), [
      { field: 'line', value: `"${shown}"`, reason: 'expected a JSON object' },
    ])
  })
}

test('an object nested deeper than the stack is refused with the rest of the digits read', (t) => {
  const deep = `${'[1,'.repeat(100_000)}1${']'.repeat(100_000)}`
  // The unsafe integer requires the exact parse, which descends the nesting.
  const refusals = refusalsOf(`{"kind":"token","token_address":${deep},"supply":9007199254740993}`)
  t.is(refusals.length, 1)
  t.true(['line', 'token_address'].includes(refusals[0]?.field ?? ''))
})

test('a line reports all its refusals, in the order of the interface', (t) => {
  const line = { ...SWAP_LINE, agent_trade: -1, dex: 99, user: 'x', fee: -1, signature: 1 }
  t.deepEqual(
    refusalsOf(JSON.stringify(line)).map(({ field }) => field),
    ['signature', 'user', 'dex', 'fee', 'agent_trade'],
  )
})

test('reports a refusal with its value in quotes once, or bare, or as absent', (t) => {
  const line = {
    ...SWAP_LINE,
    signature: 'abc',
    user: undefined,
    dex: 99,
    fee: { a: [1] },
    slot: '7',
  }
  t.deepEqual(refusalsOf(JSON.stringify(line)).map(explainRefusal), [
    `signature "abc": ${SIGNATURE_EXPECTED}`,
    `slot "7": ${SAFE_EXPECTED}`,
    `user absent: ${ADDRESS_EXPECTED}`,
    `dex 99: ${DEX_EXPECTED}`,
    `fee {"a":[1]}: ${INT64_EXPECTED}`,
  ])
  t.deepEqual(refusalsOf('no "JSON"').map(explainRefusal), [
    'line "no "JSON"": expected a JSON object',
  ])
})
