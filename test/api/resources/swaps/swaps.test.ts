// Routes of /swaps: the fields and their values, every filter in both orders, every refusal.
// Cursors have a file of their own.

import test from 'ava'
import { INT64_MAX } from '../../../../domain/amount.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'

const SOL = 1_000_000_000
const START_MS = Date.UTC(2026, 6, 1)
const under = apiForFile()

/** Fields of a Swap in the order of the interface. */
const FIELDS = `signature slot timestamp token_address pair_address user is_buy dex sol_amount
  token_amount fee fee_bps creator_fee creator_fee_bps price_per_token pool_price price_impact_bps
  base_decimals quote_decimals virtual_sol_reserves virtual_token_reserves real_sol_reserves
  real_token_reserves transfer_fee_in transfer_fee_out cashback cashback_bps block_tx_index ix_index
  time_source agent_trade`.split(/\s+/)

const one = sampleSwap({
  signature: signatureOf(1),
  slot: 1_000,
  timestamp: START_MS,
  tokenAddress: mint(1),
  pairAddress: pair(1),
  user: trader(1),
  dex: 2,
  solAmount: 3 * SOL,
  tokenAmount: 7_000_000,
  fee: 11,
  feeBps: 25,
  creatorFee: 12,
  creatorFeeBps: 5,
  virtualSolReserves: 13,
  virtualTokenReserves: 14,
  realSolReserves: 500 * SOL,
  realTokenReserves: 1_000_000_000_000,
  transferFeeIn: 15,
  transferFeeOut: 16,
  cashback: 17,
  cashbackBps: 18,
  blockTxIndex: 19,
  ixIndex: 20,
  timeSource: 1,
  agentTrade: 2,
})
const huge = sampleSwap({
  ...one,
  signature: signatureOf(2),
  slot: 1_001,
  timestamp: START_MS + 400,
  user: trader(2),
  isBuy: false,
  solAmount: INT64_MAX,
  tokenAmount: INT64_MAX,
})
/** One transaction: sells and buys on two venues, equal in slot and indexes. */
const tied = [
  { dex: 3, isBuy: false, user: trader(3) },
  { dex: 3, isBuy: true, user: trader(4) },
  { dex: 1, isBuy: false, user: trader(3) },
  { dex: 3, isBuy: true, user: trader(3) },
] as const

test.serial.before(async () => {
  await insertSwaps(under().db, [
    { ...one, priceImpactBps: -40_000 },
    { ...huge, priceImpactBps: INT64_MAX },
    ...tied.map((changes) =>
      sampleSwap({
        ...one,
        ...changes,
        signature: signatureOf(3),
        slot: 60_000,
        timestamp: START_MS + 800,
        tokenAddress: mint(2),
        pairAddress: pair(2),
        solAmount: 50 * SOL,
      }),
    ),
  ])
})

test('a signature answers with every field in order, its price exact, its impact clamped', async (t) => {
  const { status, body, text } = await under().get(`/swaps/${signatureOf(1)}`)
  t.is(status, 200)
  t.deepEqual(Object.keys(body), ['signature', 'total', 'swaps', 'price_semantics'])
  t.is(body.total, 1)
  t.deepEqual(Object.keys(body.swaps[0] ?? {}), FIELDS)
  t.like(body.swaps[0], {
    signature: signatureOf(1),
    timestamp: START_MS,
    token_address: mint(1),
    pair_address: pair(1),
    user: trader(1),
    // 3e9 / 7e6, the nearest double.
    price_per_token: 428.57142857142856,
    // 500 SOL over 1,000,000 whole tokens.
    pool_price: 0.0005,
    price_impact_bps: -32_768,
    base_decimals: 9,
    quote_decimals: 6,
    fee: 11,
    block_tx_index: 19,
    agent_trade: 2,
  })
  t.true(text.includes('"sol_amount":3000000000,'))
})

test('an int64 comes out digit for digit', async (t) => {
  const { text, body } = await under().get(`/swaps/${signatureOf(2)}`)
  t.true(text.includes('"sol_amount":9223372036854775807,"token_amount":9223372036854775807,'))
  t.is(body.swaps[0]?.price_per_token, 1)
  t.is(body.swaps[0]?.price_impact_bps, 32_767)
})

test('orders swaps of one transaction by dex, then buys first, then by user', async (t) => {
  const { body } = await under().get(`/swaps/${signatureOf(3)}`)
  t.is(body.total, 4)
  t.deepEqual(
    body.swaps.map(({ dex, is_buy, user }) => [dex, is_buy, user]),
    [
      [1, false, trader(3)],
      [3, true, trader(3)],
      [3, true, trader(4)],
      [3, false, trader(3)],
    ],
  )
})

test('an unknown signature is a flat 404, a malformed one a flat 400', async (t) => {
  const unknown = await under().get(`/swaps/${signatureOf(99)}`)
  t.is(unknown.status, 404)
  t.deepEqual(Object.keys(unknown.body), ['error', 'message'])
  t.is(unknown.body.error, 'not_found')
  for (const text of ['abc', '%zz', mint(1), `${signatureOf(1)}1`, '0'.repeat(88)]) {
    const malformed = await under().get(`/swaps/${text}`)
    t.is(malformed.status, 400, text)
    t.is(malformed.body.error, 'invalid_parameter', text)
    t.regex(malformed.body.message, /^signature ".*expected a transaction signature/)
  }
})

test('without a key every route of swaps is 401 with the enveloped object', async (t) => {
  const paths = [
    '/swaps',
    '/swaps/range',
    '/swaps/whale',
    `/swaps/trader/${trader(1)}`,
    `/swaps/token/${mint(1)}`,
    `/swaps/${signatureOf(1)}`,
  ]
  for (const path of paths) {
    const { status, body } = await under().call(path)
    t.is(status, 401, path)
    t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } }, path)
  }
})

/** Path and the signatures' numbers with the users' that it lists. */
const LISTS: [string, number][] = [
  ['/swaps', 6],
  ['/swaps?dex=2', 2],
  ['/swaps?is_buy=true', 3],
  ['/swaps?is_buy=1&dex=3', 2],
  ['/swaps?is_buy=0', 3],
  [`/swaps?user=${trader(3)}`, 3],
  [`/swaps?user=${trader(3)}&pair_address=${pair(1)}`, 0],
  [`/swaps?user=${trader(1)}&token_address=${mint(1)}`, 1],
  [`/swaps?pair_address=${pair(1)}`, 2],
  [`/swaps?token_address=${mint(2)}`, 4],
  [`/swaps?token_address=${mint(2)}&pair_address=${pair(1)}`, 0],
  [`/swaps?token_address=${mint(77)}`, 0],
  [`/swaps?pair_address=${pair(77)}`, 0],
  ['/swaps?min_sol=3', 6],
  ['/swaps?min_sol=3.000000000', 6],
  ['/swaps?min_sol=3.000000001', 5],
  ['/swaps?min_sol=3.0000000000001', 5],
  // Numbers as programs print them: exact to the lamport.
  ['/swaps?min_sol=3e0', 6],
  ['/swaps?min_sol=3000000000e-9', 6],
  ['/swaps?min_sol=0.3000000001E1', 5],
  ['/swaps?min_sol=9223372036', 1],
  ['/swaps?_=1', 6],
  ['/swaps/whale', 5],
  ['/swaps/whale?min_sol=50.1', 1],
  ['/swaps/whale?dex=1', 1],
  [`/swaps/range?from=${START_MS}&to=${START_MS}`, 1],
  [`/swaps/range?from=${START_MS}&to=${START_MS + 400}`, 2],
  [`/swaps/range?from=${START_MS + 401}&to=${START_MS + 799}`, 0],
  ['/swaps/range?from=0&to=8640000000000000', 6],
  ['/swaps/range?from=2026-07-01&to=2026-07-01', 6],
  ['/swaps/range?from=2026-07-01T00:00:00Z&to=2026-07-01T02:00:00.400%2B02:00', 2],
  [`/swaps/range?from=${START_MS + 1}&to=${START_MS + 800}&dex=3`, 3],
  [`/swaps/trader/${trader(3)}`, 3],
  [`/swaps/trader/${trader(3)}?is_buy=true`, 1],
  [`/swaps/trader/${trader(3)}?from=${START_MS + 801}`, 0],
  [`/swaps/trader/${trader(3)}?to=${START_MS + 800}`, 3],
  [`/swaps/trader/${trader(88)}`, 0],
  [`/swaps/token/${mint(1)}`, 2],
  [`/swaps/token/${mint(1)}?min_sol=4`, 1],
  [`/swaps/token/${mint(88)}`, 0],
]
for (const [path, count] of LISTS) {
  test(`${path.replace(/=?\/?[1-9A-HJ-NP-Za-km-z]{32,}/g, ' X')} (${count})`, async (t) => {
    const newest = await under().get(path)
    t.is(newest.status, 200)
    t.deepEqual(Object.keys(newest.body), ['success', 'data', 'next_cursor', 'feed_cursor'])
    t.is(newest.body.data.length, count)
    t.is(newest.body.next_cursor, null)
    const oldest = await under().get(`${path}${path.includes('?') ? '&' : '?'}order=asc`)
    t.deepEqual(oldest.body.data, newest.body.data.toReversed())
  })
}

/** Path, and the expected message. */
const REFUSED: [string, RegExp][] = [
  ['/swaps?limit=0', /limit "0": expected an integer of 1 to 1000/],
  ['/swaps?limit=1001', /limit "1001"/],
  ['/swaps?limit=1e2', /limit "1e2"/],
  ['/swaps?limit=', /limit ""/],
  ['/swaps?limit=5&limit=6', /limit is given 2 times/],
  ['/swaps?dex=99', /dex "99": use 1 to \d+, venue_1 to venue_\d+/],
  ['/swaps?dex=Venue_1', /dex "Venue_1"/],
  ['/swaps/range?start_slot=5', /^from is required with to, or start_slot and end_slot/],
  ['/swaps/range?start_slot=5&end_slot=4', /^start_slot "5": expected no later than end_slot "4"/],
  ['/swaps?order=up', /order "up": use one of asc desc/],
  ['/swaps?is_buy=yes', /is_buy "yes": use one of true false 1 0/],
  ['/swaps?min_sol=-1', /min_sol "-1": expected SOL/],
  ['/swaps?min_sol=-1e-7', /min_sol "-1e-7": expected SOL as a decimal of 0 to 9223372036/],
  ['/swaps?min_sol=1e10', /min_sol "1e10"/],
  ['/swaps?min_sol=9223372037', /min_sol "9223372037"/],
  ['/swaps?user=abc', /user "abc": expected an address/],
  [`/swaps?pair_address=${'1'.repeat(31)}`, /pair_address "1+": expected an address/],
  ['/swaps?cursor=abc', /cursor/],
  ['/swaps?cursor=%20', /cursor/],
  ['/swaps/range', /from is required/],
  ['/swaps/range?from=0', /to is required/],
  [
    '/swaps/range?from=200000000000&to=100000000000',
    /from "200000000000": expected no later than to "100000000000"/,
  ],
  ['/swaps/range?from=-1&to=100000000000', /from "-1": expected a time like/],
  ['/swaps/range?from=1&to=100000000000', /from "1": too small for Unix ms/],
  [
    '/swaps/range?from=1784548800&to=1784548801',
    /from "1784548800": looks like Unix seconds .* expected Unix ms, such as 1784548800000/,
  ],
  ['/swaps/range?from=0&to=9223372036854775808', /to "9223372036854775808"/],
  ['/swaps/range?from=0&to=8640000000000001', /to "8640000000000001": .* 0 to 8640000000000000$/],
  [`/swaps/range?from=0&to=${INT64_MAX}`, /to "9223372036854775807": .* 0 to 8640000000000000$/],
  [`/swaps/token/${mint(1)}?from=${INT64_MAX}`, /from "9223372036854775807": .* 8640000000000000$/],
  [`/swaps/trader/${trader(3)}?to=8640000000000001`, /to "8640000000000001": .* 8640000000000000$/],
  ['/swaps/trader', /^wallet is required$/],
  ['/swaps/trader/', /^wallet is required$/],
  [`/swaps/trader?wallet=${trader(3)}`, /^wallet is required$/],
  ['/swaps/token', /^mint is required$/],
  ['/swaps/token/?limit=5', /^mint is required$/],
  ['/swaps/trader/abc', /wallet "abc"/],
  ['/swaps/token/abc', /mint "abc"/],
]
for (const [path, text] of REFUSED) {
  test(`${path} is refused`, async (t) => {
    const { status, body } = await under().get(path)
    t.is(status, 400)
    t.is(body.error, 'invalid_parameter')
    t.regex(body.message, text)
  })
}

test('a list without a filter requires a key, too', async (t) => {
  t.is((await under().call('/swaps/trader')).status, 401)
})

test('a mint sent as pair_address is refused by name of its pools', async (t) => {
  const { status, body } = await under().get(`/swaps?pair_address=${mint(1)}`)
  t.is(status, 400)
  t.is(body.error, 'invalid_parameter')
  t.regex(body.message, /is a token mint, not a pool/)
  t.true(body.message.includes(pair(1)))
})

test('a cursor of another list is refused', async (t) => {
  const page = await under().get('/swaps?limit=1')
  t.is(typeof page.body.next_cursor, 'string')
  const { status } = await under().get(`/pool-events?cursor=${page.body.next_cursor}`)
  t.is(status, 400)
})
