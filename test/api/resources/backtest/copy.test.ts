/** POST /v2/backtest/copy: recorded vectors to the lamport, bounds, migrations, gaps, limits, and the same by GraphQL and CSV. */
import test from 'ava'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import { addCoverage } from '../../../../deploy/chain/coverage.ts'
import { venueBits } from '../../../../domain/coverage.ts'
import type { PoolEvent } from '../../../../domain/events/pool-event.ts'
import { type ApiUnderTest, apiForFile, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertEvents, insertSwaps } from '../../../support/api/insert-swaps.ts'
import { FormulaPool } from '../../../support/market/formula-pool.ts'
import { bestWallets, LAUNCHES } from '../../../support/market/launches.ts'
import { pair, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { asker } from '../../graphql/send-query.ts'

const under = apiForFile()
const SLOTS = LAUNCHES.map(({ slot }) => slot)
const [FIRST, LAST] = [Math.min(...SLOTS), Math.max(...SLOTS)]
const LEADER = 'BcACSLKqUtYY821ePSYS7dYrqaffuLnXRNqsLhZ3bvRj'
const RESERVES = { sol: 1_000_000_000_000n, tokens: 500_000_000_000_000n }
const LAMPORTS = 3_000_000_000n

/** A leader buys, three others buy, all in slots of their own from 1,000 on. */
function crowded(pool: FormulaPool, leader: number) {
  const user = trader(leader)
  const bought = pool.buy(LAMPORTS, { user })
  return [bought, ...Array.from({ length: 3 }, () => pool.buy(2n * LAMPORTS))]
}
const hidden = crowded(new FormulaPool({ ...RESERVES, dex: 4, pair: 1, hasPrices: true }), 11)
const gapped = crowded(new FormulaPool({ ...RESERVES, dex: 5, pair: 3 }), 12)
const curve = new FormulaPool({ ...RESERVES, dex: 3, pair: 5 })
const moved = new FormulaPool({ ...RESERVES, dex: 3, pair: 6 })
const migrating = crowded(curve, 13)
const [entered] = migrating
const { user: migrant, tokenAddress, timestamp } = entered!
const held = BigInt(entered!.tokenAmount)
const left = moved.sell(held, { slot: 1_020, user: migrant, tokenAddress })
const after = moved.buy(LAMPORTS, { slot: 1_021, tokenAddress })
const SWAPS = [...LAUNCHES, ...hidden, ...gapped, ...migrating, left, after]
const migrated: PoolEvent = {
  ...{ signature: signatureOf(91), timestamp, dex: 3, event: 'migrated', tokenAddress },
  ...{ pairAddress: pair(6), fromPair: pair(5), slot: 1_010, blockTxIndex: 0, ixIndex: 0 },
}
let key = ''

test.serial.before(async () => {
  const { db } = under()
  await insertSwaps(db, SWAPS)
  await insertEvents(db, [migrated])
  const run = { venues: venueBits([5]), decoderVersion: 1, source: 'rpc', commitment: 'confirmed' }
  await addCoverage(db, run, { from: 900, to: 1_000 }, [])
  await addCoverage(db, run, { from: 1_002, to: 1_400 }, [])
  const wanted = { tier: 'enterprise', environment: 'test', account: 'copy', by: 'test' } as const
  key = (await createKey(db, wanted)).key
})

type Range = { low: number; high: number }
type Run = Record<string, unknown> & {
  orders: number
  status: Record<string, number>
  priced: Record<string, number>
  pnl_lamports: Range
  open: Record<string, unknown>[]
}
type Trade = Record<string, unknown> & {
  sol_lamports: Range
  tokens: Range
  realized_lamports: Range
}
type Copies = Record<string, unknown> & { runs: Run[]; trades: Trade[]; result_hash: string }

async function post(
  body: object,
  accept = 'application/json',
  given: Pick<ApiUnderTest, 'api' | 'key'> = { api: under().api, key },
) {
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': given.key, Accept: accept }
  const url = `${given.api.url}/v2/backtest/copy`
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  const isJson = response.headers.get('Content-Type')?.includes('json') ?? false
  return { status: response.status, text, body: (isJson ? JSON.parse(text) : {}) as Copies }
}

const ofLaunches = {
  ...{ from_slot: FIRST, to_slot: LAST, size_lamports: 100_000_000, slippage_bps: 2_000 },
}
const only = (exact: number): Range => ({ low: exact, high: exact })

test('a copy of one leader, a slot later, to the lamport', async (t) => {
  const { status, body } = await post({ wallets: [LEADER], ...ofLaunches })
  t.is(status, 200)
  t.like(body, {
    ...{ selection: 'given', as_of: { slot: LAST, newest_slot: LAST } },
    assumptions: { impact: 'isolated', venue_2_outside_bps: 0, is_fee_unchanged: false },
  })
  const [run] = body.runs
  t.like(run, {
    ...{ orders: 2, status: { exact: 2 }, spent_lamports: 100_000_000, sells: 1 },
    ...{ proceeds_lamports: only(150_096_220), tx_fees_lamports: 210_000, rent_lamports: 0 },
    ...{ outside_fees_lamports: 938_272 + 296_297 + 1_443_964 + 455_989, open: [] },
    ...{ pnl_lamports: only(49_886_220), capital_needed_lamports: 102_144_280 },
    ...{ value_lamports: only(0), wins: only(1) },
    roi: only(49_886_220 / 102_144_280),
  })
  const [bought, sold] = body.trades
  t.like(bought, {
    ...{ is_buy: true, slot: 366_861_924, fill_slot: 366_861_925, status: 'exact' },
    ...{ sol_lamports: only(100_000_000), tokens: only(2_132_183_901_843), fee_lamports: 105_000 },
    realized_lamports: null,
  })
  t.regex(String(bought?.copies), /^435CKkGG/)
  t.regex((bought!.state as { signature: string }).signature, /^51fe9MES/)
  t.like(sold, { is_buy: false, realized_lamports: only(50_096_220) })
  t.regex((sold!.state as { signature: string }).signature, /^65hcnMcd/)
  const late = await post({ wallets: [LEADER], ...ofLaunches, delay_slots: 10, trades: false })
  t.like(late.body, { trades: [] })
  t.like(late.body.runs[0], { pnl_lamports: only(-105_000) })
  t.deepEqual(late.body.runs[0]?.status, { 'failed:slippage': 1, nothing_held: 1 })
})

test('the ten best wallets by delay, each fill exact', async (t) => {
  const delay_slots = [0, 1, 2, 5, 10, 25]
  const given = { ...ofLaunches, delay_slots, position: 'start' }
  const { body } = await post({ wallets: bestWallets(10), ...given })
  const pnl = body.runs.map((run) => run.pnl_lamports)
  t.deepEqual(
    pnl,
    [517_365_756, 194_756_131, 179_762_194, 42_267_932, -52_896_117, -30_424_939].map(only),
  )
  for (const { priced } of body.runs) t.like(priced, { bounded: 0, unpriced: 0, exact_share: 1 })
  const again = await post({ wallets: bestWallets(10), ...given, trades: false })
  t.is(again.body.result_hash, body.result_hash)
})

/** Rent of the three mints that all wallets hold at the end; several questions hold some of them twice. */
const RENT = 3 * 2_039_280

test('all wallets, in questions of twenty, are the sum of their runs', async (t) => {
  const wallets = [...new Set(LAUNCHES.map(({ user }) => user))]
  const sums = { orders: 0, exact: 0, atomic: 0, failed: 0, pnl: 0, trades: 0 }
  for (let n = 0; n < wallets.length; n += 20) {
    const { body } = await post({
      wallets: wallets.slice(n, n + 20),
      ...ofLaunches,
      ...{ delay_slots: 2, rent_lamports: 0 },
    })
    const [{ orders, status, pnl_lamports: pnl, open } = {} as Run] = body.runs
    sums.orders += orders
    sums.exact += status.exact ?? 0
    sums.atomic += status.atomic ?? 0
    sums.failed += (status['failed:slippage'] ?? 0) + (status['failed:empty'] ?? 0)
    sums.pnl += pnl.low
    sums.trades += body.trades.length
    t.is(pnl.low, pnl.high)
    t.true(open.every(({ priced }) => priced === 'exact'))
  }
  t.deepEqual(sums, {
    ...{ orders: 1_283, exact: 1_007, atomic: 215, failed: 29, pnl: -12_117_893_781 + RENT },
    trades: 1_283,
  })
})

test('a pool without a formula is filled within bounds', async (t) => {
  const question = { from_slot: 1_000, to_slot: 1_100, size_lamports: Number(LAMPORTS) }
  const { body } = await post({ wallets: [trader(11)], ...question })
  const [run] = body.runs
  t.like(run, { orders: 1, status: { bounded: 1 }, priced: { exact_share: 0, bounded: 1 } })
  t.like(body, { assumptions: { is_fee_unchanged: true } })
  const truth = new FormulaPool({ ...RESERVES, dex: 4 })
  truth.buy(LAMPORTS)
  truth.buy(2n * LAMPORTS)
  const tokens = Number(truth.curve().buy(LAMPORTS).tokens)
  const [trade] = body.trades
  t.true(trade!.tokens.low <= tokens && tokens <= trade!.tokens.high)
  t.like(run?.open[0], { priced: 'marked', value_lamports: { low: 0 } })
})

test('a fill after slots that were not read is unpriced, with its reason', async (t) => {
  const question = { from_slot: 1_000, to_slot: 1_100, size_lamports: Number(LAMPORTS) }
  const { body } = await post({ wallets: [trader(12)], ...question, delay_slots: [0, 1] })
  t.deepEqual(
    body.runs.map(({ status }) => status),
    [{ exact: 1 }, { 'unpriced:coverage': 1 }],
  )
  const { coverage_gaps: gaps } = body.as_of as { coverage_gaps: object[] }
  t.like(gaps[0], { from_slot: 1_001, to_slot: 1_001 })
})

test('a sell after a migration goes to the pool that the liquidity moved to', async (t) => {
  const question = { wallets: [migrant], from_slot: 1_000, to_slot: 1_100, delay_slots: 2 }
  const { body } = await post({ ...question, size_lamports: Number(LAMPORTS) })
  t.deepEqual(body.runs[0]?.status, { exact: 2 })
  const [, sold] = body.trades
  t.like(sold, { fill_slot: 1_022, state: { signature: after.signature } })
})

test('GraphQL answers as REST, and CSV lists the trades', async (t) => {
  const question = { wallets: [LEADER], ...ofLaunches }
  const { body } = await post(question)
  const { send } = await asker(under())
  const { data } = await send(`{ copyBacktest(wallets: ["${LEADER}"], from_slot: ${FIRST},
    to_slot: ${LAST}, size_lamports: [100000000], slippage_bps: 2000, repeat_buys: true) {
    result_hash runs { pnl_lamports { low high } status { key value } } trades { status }
  } }`)
  t.deepEqual(data as unknown, {
    copyBacktest: {
      result_hash: body.result_hash,
      runs: [{ pnl_lamports: only(49_886_220), status: [{ key: 'exact', value: 2 }] }],
      trades: [{ status: 'exact' }, { status: 'exact' }],
    },
  })
  const csv = await post(question, 'text/csv')
  const lines = csv.text.trim().split('\r\n')
  t.is(lines.length, 3)
  t.regex(lines[0]!, /^run,copies,wallet,mint,.*sol_lamports\.low,sol_lamports\.high/)
})

test('trades come in pages, up to the slot of the first and of one answer only', async (t) => {
  const question = { wallets: bestWallets(10), ...ofLaunches, delay_slots: [0, 2] }
  const { body: whole } = await post(question)
  const { to_slot: _newest, ...open } = { ...question, trades_limit: 70 }
  const trades: Trade[] = []
  let cursor: string | null | undefined
  while (cursor !== null) {
    const { body, text } = await post(cursor === undefined ? open : { ...open, cursor })
    t.is(body.result_hash, whole.result_hash, text)
    t.is(body.trades.length, Math.min(70, whole.trades.length - trades.length))
    trades.push(...body.trades)
    cursor = body.next_cursor as string | null
  }
  t.deepEqual(trades, whole.trades)
  const { body } = await post(open)
  const changed = await post({ ...open, cursor: body.next_cursor, slippage_bps: 100 })
  t.is(changed.status, 400)
  t.regex(changed.text, /cursor: the settings or the stored swaps are others/)
  const strange = await post({ ...open, cursor: 'abc' })
  t.is(strange.status, 400)
})

test('times name slots by the swaps that are indexed', async (t) => {
  const own = LAUNCHES.filter(({ user }) => user === LEADER)
  const times = own.map(({ timestamp: at }) => at)
  const [from, to] = [Math.min(...times), Math.max(...times)]
  const { body } = await post({ wallets: [LEADER], from, to, size_lamports: 1_000_000 })
  t.like(body.runs[0], { orders: own.length })
  const { settings } = body.runs[0] as unknown as { settings: { from_slot: number } }
  const since = SWAPS.filter(({ timestamp: at }) => at >= from).map((swap) => swap.slot)
  t.is(settings.from_slot, Math.min(...since))
  const { slot } = body.as_of as { slot: number }
  const until = SWAPS.filter(({ timestamp: at }) => at <= to).map((swap) => swap.slot)
  t.is(slot, Math.max(...until))
})

test('refusals name what is wrong', async (t) => {
  const whole = { wallets: [LEADER], from_slot: FIRST, size_lamports: 1_000_000 }
  const refusals: [body: object, message: RegExp][] = [
    [{ ...whole, wallets: [] }, /wallets/],
    [{ ...whole, wallets: Array(21).fill(LEADER) }, /wallets/],
    [{ ...whole, size_lamports: undefined }, /size_lamports or ratio_ppm is required/],
    [{ ...whole, ratio_ppm: 10 }, /exclude each other/],
    [{ ...whole, leaders: { as_of_slot: FIRST } }, /wallets and leaders exclude each other/],
    [{ ...whole, from: 1 }, /from_slot and from exclude each other/],
    [{ ...whole, from_slot: undefined }, /from_slot or from is required/],
    [{ ...whole, to_slot: LAST + 1 }, new RegExp(`use at most ${LAST}`)],
    [{ ...whole, to_slot: FIRST - 1 }, /above the last one/],
    [{ ...whole, delay_slots: [65] }, /delay_slots\[0\].*0 to 64/],
    [
      { ...whole, delay_slots: [0, 1, 2, 3, 4], size_lamports: [1, 2, 3, 4] },
      /20 runs: expected at most 16/,
    ],
    [{ ...whole, position: 'middle' }, /position/],
    [{ ...whole, repeat_buys: 'no' }, /repeat_buys.*true or false/],
    [{ ...whole, size_lamports: 0.5 }, /size_lamports/],
    [{ ...whole, from_slot: undefined, from: 9_000_000_000_000 }, /no swap is indexed/],
  ]
  for (const [body, message] of refusals) {
    const { status, text } = await post(body)
    t.is(status, 400, JSON.stringify(body))
    t.regex(text, message)
    const isMissing = 'from_slot' in body && body.from_slot === undefined && !('from' in body)
    t.is(JSON.parse(text).error.code, isMissing ? 'MISSING_PARAM' : 'INVALID_PARAM', text)
  }
})

test('a wallet that never traded has no orders', async (t) => {
  const { body } = await post({ wallets: [trader(99)], from_slot: 0, size_lamports: 1 })
  t.like(body.runs[0], { orders: 0, status: {}, roi: { low: null, high: null } })
  t.like(body.runs[0]?.priced, { exact_share: null })
})

test('later events change nothing', async (t) => {
  const own = await apiUnderTest(t)
  await insertSwaps(own.db, LAUNCHES)
  const middle = LAUNCHES.map(({ slot }) => slot).toSorted((a, b) => a - b)[1_000]!
  const question = { wallets: bestWallets(20), ...ofLaunches, to_slot: middle, delay_slots: [0, 3] }
  const { body } = await post(question, 'application/json', own)
  t.true(body.runs[0]!.orders > 20)
  await own.db.query('delete from swap where slot > $1', [middle])
  const cut = await post(question, 'application/json', own)
  t.is(cut.body.result_hash, body.result_hash)
})
