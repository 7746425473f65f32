/** Copies of the recorded launches of `test/data/`, to the lamport. */
import test from 'ava'
import { type CopiedPool, poolKey } from '../../../../domain/market/copy/fill.ts'
import { ordersOf } from '../../../../domain/market/copy/order.ts'
import { CopyRun } from '../../../../domain/market/copy/run.ts'
import { COPY_DEFAULTS, type CopySettings } from '../../../../domain/market/copy/settings.ts'
import { copyTotals } from '../../../../domain/market/copy/totals.ts'
import { inExecutionOrder } from '../../../../domain/market/order.ts'
import { bestWallets, LAUNCHES } from '../../../support/market/launches.ts'

const SLOTS = LAUNCHES.map(({ slot }) => slot)
const POOLS = new Map(
  [...Map.groupBy(LAUNCHES, ({ pairAddress }) => pairAddress)].map(
    ([pair, own]): [string, CopiedPool] => [
      poolKey(pair, own[0]!.tokenAddress),
      {
        slots: inExecutionOrder(own),
        following: new Map(),
        events: [],
        migratedAtMs: undefined,
        closed: undefined,
        gaps: [],
      },
    ],
  ),
)
const LEADER = 'BcACSLKqUtYY821ePSYS7dYrqaffuLnXRNqsLhZ3bvRj'

function run(leaders: (wallet: string) => boolean, changes: Partial<CopySettings>) {
  const settings: CopySettings = {
    ...COPY_DEFAULTS,
    ...{ fromSlot: Math.min(...SLOTS), toSlot: Math.max(...SLOTS) },
    ...{ size: { lamports: 100_000_000n }, slippageBps: 2_000n },
    ...changes,
  }
  const orders = ordersOf(
    LAUNCHES.filter(({ user }) => leaders(user)),
    settings.fromSlot,
    settings.toSlot,
  )
  const copying = new CopyRun(POOLS, settings)
  const trades = orders.map((order) => copying.take(order))
  return { trades, ...copyTotals(copying, trades) }
}

test('one leader, a slot later', (t) => {
  const found = run((wallet) => wallet === LEADER, {})
  t.deepEqual(found.pnl, { low: 49_886_220n, high: 49_886_220n })
  t.deepEqual(found.proceeds.low, 150_096_220n)
  t.like(found, { spent: 100_000_000n, transactionFees: 210_000n, rent: 0n })
  t.is(found.capitalNeeded, 102_144_280n)
  const late = run((wallet) => wallet === LEADER, { delaySlots: 10 })
  t.is(late.pnl.low, -105_000n)
})

test('all wallets, two slots later', (t) => {
  const { trades, pnl } = run(() => true, { delaySlots: 2 })
  const count = (status: string): number =>
    trades.filter((trade) => trade.status.startsWith(status)).length
  t.is(trades.length, 1_283)
  t.deepEqual([count('exact'), count('atomic'), count('failed')], [1_007, 215, 29])
  t.is(pnl.low, -12_117_893_781n)
})

test('the ten best wallets by delay, each fill exact', (t) => {
  const best = new Set(bestWallets(10))
  const results = [0, 1, 2, 5, 10, 25].map((delaySlots) => {
    const { pnl, trades } = run((wallet) => best.has(wallet), { delaySlots, position: 'start' })
    t.is(pnl.low, pnl.high)
    t.false(trades.some(({ status }) => status === 'bounded' || status.startsWith('unpriced')))
    return pnl.low
  })
  t.deepEqual(results, [
    517_365_756n,
    194_756_131n,
    179_762_194n,
    42_267_932n,
    -52_896_117n,
    -30_424_939n,
  ])
})
