/** Copies in made markets: sizing, limits, proportions, costs, and what must hold of every run. */
import test from 'ava'
import fc from 'fast-check'
import { int64 } from '../../../../domain/amount.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { ordersOf } from '../../../../domain/market/copy/order.ts'
import { CopyRun } from '../../../../domain/market/copy/run.ts'
import { COPY_DEFAULTS, type CopySettings } from '../../../../domain/market/copy/settings.ts'
import { copyTotals } from '../../../../domain/market/copy/totals.ts'
import { copiedPools } from '../../../support/market/copied-pools.ts'
import { FormulaPool } from '../../../support/market/formula-pool.ts'
import { trader } from '../../../support/market/sample-swap.ts'

const RESERVES = { sol: 1_000_000_000_000n, tokens: 500_000_000_000_000n }
const LEADER = { user: trader(11) }
const OTHER = { user: trader(12) }
const SIZE = 100_000_000n

function copied(
  swaps: readonly Swap[],
  changes: Partial<CopySettings> = {},
  leaders = [LEADER.user],
) {
  const slots = swaps.map(({ slot }) => slot)
  const settings: CopySettings = {
    ...{ ...COPY_DEFAULTS, fromSlot: 0, toSlot: Math.max(...slots), size: { lamports: SIZE } },
    ...{ delaySlots: 0, slippageBps: 10_000n },
    ...changes,
  }
  const history = swaps.filter(({ user }) => leaders.includes(user))
  const run = new CopyRun(
    copiedPools(swaps.filter(({ slot }) => slot <= settings.toSlot)),
    settings,
  )
  const trades = ordersOf(history, settings.fromSlot, settings.toSlot).map((each) => run.take(each))
  return { trades, ...copyTotals(run, trades), statuses: trades.map(({ status }) => status) }
}

const pool = (n = 1) => new FormulaPool({ ...RESERVES, dex: 3, pair: n })

test('each limit refuses or cuts a buy, with its name', (t) => {
  const [one, two] = [pool(1), pool(2)]
  const swaps = [
    one.buy(1_000n, { ...LEADER, slot: 1_000 }),
    one.buy(2n * SIZE, { ...LEADER, slot: 1_001 }),
    two.buy(3n * SIZE, { ...LEADER, slot: 1_002 }),
  ]
  const statusesOf = (changes: Partial<CopySettings>) => copied(swaps, changes).statuses
  const spentOf = (changes: Partial<CopySettings>) =>
    copied(swaps, changes).trades.map(({ lamports }) => lamports.high)
  t.deepEqual(statusesOf({ leaderMin: 1_001n }), ['leader_size', 'exact', 'exact'])
  t.deepEqual(statusesOf({ leaderMax: 2n * SIZE }), ['exact', 'exact', 'leader_size'])
  t.deepEqual(statusesOf({ repeatBuys: false }), ['exact', 'repeat', 'exact'])
  t.deepEqual(statusesOf({ openMax: 1 }), ['exact', 'exact', 'limit_open'])
  t.deepEqual(statusesOf({ tradeMin: SIZE + 1n }), ['too_small', 'too_small', 'too_small'])
  t.deepEqual(spentOf({ tradeMax: 5_000_000n }), [5_000_000n, 5_000_000n, 5_000_000n])
  t.deepEqual(spentOf({ tokenMax: SIZE + 7_000_000n }), [SIZE, 7_000_000n, SIZE])
  t.deepEqual(spentOf({ size: { ratioPpm: 500_000n } }), [500n, SIZE, (3n * SIZE) / 2n])
  const { baseFee, priorityFee, rent } = COPY_DEFAULTS
  const capital = SIZE + 20_000_000n
  const left = capital - SIZE - rent - 2n * (baseFee + priorityFee)
  t.deepEqual(spentOf({ capital }), [SIZE, left, 0n])
  t.deepEqual(statusesOf({ capital }), ['exact', 'exact', 'too_small'])
  t.true(copied(swaps, { capital }).capitalNeeded <= capital)
})

test('a sell is in proportion to the balance of the leader, bags from before included', (t) => {
  const market = pool()
  const bag = market.buy(SIZE, { ...LEADER, slot: 900 })
  const bought = market.buy(SIZE, { ...LEADER, slot: 1_000 })
  const balance = BigInt(bag.tokenAmount) + BigInt(bought.tokenAmount)
  const half = market.sell(balance / 2n, { ...LEADER, slot: 1_001 })
  const rest = market.sell(balance - balance / 2n, { ...LEADER, slot: 1_002 })
  const again = market.sell(1_000n, { ...LEADER, slot: 1_003 })
  const found = copied([bag, bought, half, rest, again], { fromSlot: 1_000 })
  t.deepEqual(found.statuses, ['exact', 'exact', 'exact', 'uncovered'])
  const [, first, second] = found.trades
  const held = found.trades[0]!.tokens.high
  t.is(first!.tokens.high, (held * (balance / 2n)) / balance)
  t.is(second!.tokens.high, held - first!.tokens.high)
  t.is(found.rent, 0n)
  t.deepEqual(found.open, [])
})

test('fills are counted whose fees outside the legs no source stated', (t) => {
  const market = new FormulaPool({ ...RESERVES, dex: 2, pair: 1, ratePpm: 0n })
  const bought = market.buy(SIZE, { ...LEADER, slot: 1_000 })
  const sold = market.sell(BigInt(bought.tokenAmount), { ...LEADER, slot: 1_001 })
  const late = market.buy(SIZE, { ...LEADER, slot: 1_002 })
  const stated = { outsideProtocolBps: 93, outsideCreatorBps: 30 }
  const swaps = [bought, sold, late]
  t.is(copied(swaps).feeAssumed, 3)
  t.is(copied(swaps, { toSlot: 1_001 }).feeAssumed, 2)
  t.is(copied(swaps, { tradeMax: 0n }).feeAssumed, 0)
  t.is(copied([{ ...bought, ...stated }, sold, late]).feeAssumed, 2)
  const all = swaps.map((swap) => ({ ...swap, ...stated }))
  t.is(copied(all).feeAssumed, 0)
})

test('transfer fees of a mint arrive neither at the copy nor at the pool', (t) => {
  const market = pool()
  const bought = market.buy(SIZE, { ...LEADER, slot: 1_000 })
  const tokens = BigInt(bought.tokenAmount)
  const fee = tokens / 100n
  const taxed = { ...bought, transferFeeOut: int64(fee) }
  const sold = {
    ...market.sell(tokens - fee - fee, { ...LEADER, slot: 1_001 }),
    transferFeeIn: int64(fee),
  }
  const plain = copied([bought, sold]).trades[0]!.tokens.high
  const { trades } = copied([taxed, sold])
  t.is(trades[0]!.tokens.high, plain - (plain * fee + tokens - 1n) / tokens)
  const held = trades[0]!.tokens.high
  const sent = BigInt(sold.tokenAmount) + fee
  const reached = held - (held * fee + sent - 1n) / sent
  t.like(trades[1], { status: 'exact', tokens: { low: held, high: held } })
  t.is(trades[1]!.lamports.high, market.curve().proceeds(reached))
})

test('both sides in one transaction are atomic; a fill after the end and an empty one are counted', (t) => {
  const market = pool()
  const first = market.buy(SIZE, { ...LEADER, slot: 1_000 })
  const { signature } = first
  const second = market.sell(1_000n, { ...LEADER, slot: 1_000, signature, ixIndex: 1 })
  const last = market.buy(SIZE, { ...LEADER, slot: 1_005 })
  t.deepEqual(copied([first, second, last]).statuses, ['atomic', 'exact'])
  t.deepEqual(copied([last], { delaySlots: 1 }).statuses, ['after_end'])
  const empty = copied([last], { size: { lamports: 1n } })
  t.deepEqual(empty.statuses, ['failed:empty'])
  t.is(empty.pnl.low, -105_000n)
})

test('a failed sell leaves the tokens, which are valued at the end', (t) => {
  const market = pool()
  const bought = market.buy(SIZE, { ...LEADER, slot: 1_000 })
  const sold = market.sell(BigInt(bought.tokenAmount), { ...LEADER, slot: 1_001 })
  const crash = market.sell(50_000_000_000_000n, { ...OTHER, slot: 1_002 })
  const { statuses, open, value, pnl, rent } = copied([bought, sold, crash], {
    ...{ delaySlots: 1, sellSlippageBps: 100n },
  })
  t.deepEqual(statuses, ['exact', 'failed:slippage'])
  t.like(open[0], { priced: 'exact' })
  t.true(value.low > 0n && value.low === value.high)
  t.is(pnl.low, value.low - SIZE - 4n * 52_500n - rent)
})

const action = fc.record({
  leader: fc.integer({ min: 0, max: 2 }),
  pool: fc.integer({ min: 1, max: 3 }),
  isBuy: fc.boolean(),
  part: fc.integer({ min: 1, max: 1_000 }),
  slots: fc.integer({ min: 0, max: 3 }),
})

/** A market of three pools, in which only three leaders trade. */
function marketOf(
  actions: readonly (typeof action extends fc.Arbitrary<infer One> ? One : never)[],
  dex: 3 | 4,
) {
  const pools = [1, 2, 3].map(
    (n) => new FormulaPool({ ...RESERVES, dex, pair: n, hasPrices: true }),
  )
  let slot = 1_000
  return actions.map(({ leader, pool: n, isBuy, part, slots }, index): Swap => {
    slot += slots
    const own = {
      slot,
      blockTxIndex: index,
      user: trader(leader),
      signature: `${index}`.padStart(64, '2'),
    }
    const market = pools[n - 1]!
    return isBuy
      ? market.buy(BigInt(part) * 10_000_000n, own)
      : market.sell(BigInt(part) * 1_000_000_000n, own)
  })
}
const delays = fc.integer({ min: 0, max: 5 })
const actions = fc.array(action, { minLength: 1, maxLength: 40 })
const ALL = [0, 1, 2].map((n) => trader(n))

test('trades add up to the totals, and exact fills have one ledger', (t) => {
  fc.assert(
    fc.property(actions, delays, (given, delaySlots) => {
      const found = copied(marketOf(given, 3), { delaySlots, slippageBps: 500n }, ALL)
      const sum = (figures: bigint[]): bigint => figures.reduce((a, b) => a + b, 0n)
      const { trades } = found
      const sells = trades.filter(({ realized }) => realized !== undefined)
      const buys = trades.filter(({ order, tokens }) => order.isBuy && tokens.high > 0n)
      const realized = sum(sells.map((each) => each.realized!.low))
      const openCost = sum(found.open.map(({ sleeve }) => sleeve.cost))
      t.is(found.spent, sum(buys.map(({ lamports }) => lamports.high)))
      t.is(found.proceeds.low, sum(sells.map(({ lamports }) => lamports.low)))
      t.is(found.transactionFees, sum(trades.map(({ fee }) => fee)))
      t.is(found.outsideFees, sum(trades.map(({ outside }) => outside)))
      const { value, transactionFees, rent, pnl } = found
      t.is(pnl.low, realized + value.low - openCost - transactionFees - rent)
      t.is(pnl.low, pnl.high)
      t.true(found.capitalNeeded >= 0n)
    }),
    { numRuns: 200 },
  )
})

test('two disjoint leaders are the sum of their runs where no limit binds', (t) => {
  fc.assert(
    fc.property(actions, delays, (given, delaySlots) => {
      const swaps = marketOf(given, 3)
      const both = copied(swaps, { delaySlots, rent: 0n }, ALL)
      const apart = ALL.map((leader) => copied(swaps, { delaySlots, rent: 0n }, [leader]))
      t.is(
        both.pnl.low,
        apart.reduce((sum, { pnl }) => sum + pnl.low, 0n),
      )
      t.is(
        both.trades.length,
        apart.reduce((sum, { trades }) => sum + trades.length, 0),
      )
    }),
    { numRuns: 100 },
  )
})

test('the smaller a copy, the nearer it is to the price that its leader left', (t) => {
  const takenPpm = 2_500n
  fc.assert(
    fc.property(actions, (given) => {
      const swaps = marketOf(given, 3)
      const runs = [10n ** 6n, 10n ** 8n, 10n ** 10n].map((lamports) => ({
        lamports,
        ...copied(swaps, { position: 'start', size: { lamports } }, ALL),
      }))
      for (const [index, { order }] of runs[0]!.trades.entries()) {
        if (!order.isBuy) continue
        const left = order.swaps.at(-1)!
        const [sol, tokens] = [BigInt(left.realSolReserves), BigInt(left.realTokenReserves)]
        let before = 0n
        for (const { lamports, trades } of runs) {
          const got = trades[index]!.tokens.high
          const atPrice = (lamports * tokens * (1_000_000n - takenPpm)) / (sol * 1_000_000n)
          // Below the price by its own impact, which is in proportion to its size, and by a rounding of each side.
          const missing = atPrice - got
          t.true(missing >= -1n && missing <= (atPrice * lamports) / sol + tokens / sol + 2n)
          t.true(missing >= before - tokens / sol - 2n)
          before = missing
        }
      }
    }),
    { numRuns: 100 },
  )
})

test('events above the last slot change nothing, and a larger delay meets no earlier state', (t) => {
  fc.assert(
    fc.property(actions, delays, (given, delaySlots) => {
      const swaps = marketOf(given, 4)
      const toSlot = swaps[swaps.length >> 1]!.slot
      const upTo = swaps.filter(({ slot }) => slot <= toSlot)
      const [all, cut] = [swaps, upTo].map((each) => copied(each, { delaySlots, toSlot }, ALL))
      t.deepEqual(all?.trades, cut?.trades)
      t.deepEqual(all?.pnl, cut?.pnl)
      t.true(all!.pnl.low <= all!.pnl.high)
      const later = copied(swaps, { delaySlots: delaySlots + 1, toSlot }, ALL)
      for (const [index, { state }] of later.trades.entries()) {
        const before = all!.trades[index]?.state
        if (state !== undefined && before !== undefined) t.true(state.slot >= before.slot)
      }
    }),
    { numRuns: 100 },
  )
})
