/** The states that copies meet: what counts between the leader and the fill, transaction by transaction and slot by slot. */
import test from 'ava'
import fc from 'fast-check'
import { int64 } from '../../../../domain/amount.ts'
import type { PoolEvent } from '../../../../domain/events/pool-event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import {
  type CopiedPool,
  fillMoment,
  leaderMoment,
  priceAt,
} from '../../../../domain/market/copy/fill.ts'
import { ordersOf } from '../../../../domain/market/copy/order.ts'
import { CopyRun } from '../../../../domain/market/copy/run.ts'
import { COPY_DEFAULTS, type CopySettings } from '../../../../domain/market/copy/settings.ts'
import { bondingCurve } from '../../../../domain/market/curve.ts'
import { copiedPools } from '../../../support/market/copied-pools.ts'
import { FormulaPool } from '../../../support/market/formula-pool.ts'
import { sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'

const RESERVES = { sol: 1_000_000_000_000n, tokens: 500_000_000_000_000n }
const LEADER = { user: trader(11) }
const SIZE = 100_000_000n
const BUY = { isBuy: true, lamports: SIZE } as const
const SLOT = 1_000
const DIRECT = { position: 'start', delaySlots: 0 } as const

const settingsOf = (changes: Partial<CopySettings>): CopySettings => ({
  ...{ ...COPY_DEFAULTS, fromSlot: 0, toSlot: SLOT + 20, size: { lamports: SIZE } },
  ...changes,
})

/** A leader buys in transaction 5, and the next trade is some slots later. */
function market(later = 10) {
  const pool = new FormulaPool({ ...RESERVES, dex: 3, pair: 1 })
  const bought = pool.buy(SIZE, { ...LEADER, slot: SLOT, blockTxIndex: 5, ixIndex: 1 })
  const next = pool.buy(SIZE, { slot: SLOT + later, blockTxIndex: 1 })
  const [order] = ordersOf([bought], 0, SLOT)
  return { swaps: [bought, next], order: order! }
}

type At = Pick<CopySettings, 'position' | 'delaySlots'>

/** A buy at the fill, and the state after the leader for comparison. */
function fillOf(at: At, changes: Partial<CopiedPool>, later?: number) {
  const { swaps, order } = market(later)
  const pools = copiedPools(swaps, changes)
  const settings = settingsOf(at)
  const moment = fillMoment(order, pools, settings)
  if (typeof moment === 'string') throw new Error(`no fill: ${moment}`)
  return {
    filled: priceAt(moment, BUY, settings),
    quoted: priceAt(leaderMoment(order, pools), BUY, settings),
  }
}

/** Liquidity that is added at a position. */
const added = (slot: number, blockTxIndex: number, ixIndex = 0): PoolEvent => ({
  ...{ event: 'liquidity_added', signature: signatureOf(9), slot, timestamp: 0, dex: 3 },
  ...{ pairAddress: '', tokenAddress: '', blockTxIndex, ixIndex },
  ...{ solAmount: 500_000_000_000, tokenAmount: 250_000_000_000_000 },
})

test('a fill meets the liquidity that changed before it, and none that changed later', (t) => {
  const plain = fillOf(DIRECT, {}).filled
  const cases: [event: PoolEvent, at: At, isMet: boolean][] = [
    // Before the leader, later in its transaction, and in a later transaction of its slot.
    [added(SLOT, 4), DIRECT, false],
    [added(SLOT, 5, 2), DIRECT, true],
    [added(SLOT, 6), DIRECT, false],
    [added(SLOT, 6), { position: 'end', delaySlots: 0 }, true],
    [added(SLOT, 6), { position: 'start', delaySlots: 1 }, true],
    [added(SLOT + 1, 0), { position: 'start', delaySlots: 1 }, false],
    [added(SLOT + 1, 0), { position: 'end', delaySlots: 1 }, true],
    [added(SLOT + 1, 0), DIRECT, false],
  ]
  for (const [event, at, isMet] of cases) {
    const { filled, quoted } = fillOf(at, { events: [event] })
    const about = JSON.stringify([event.slot, event.blockTxIndex, at])
    if (filled.basis === 'none' || plain.basis === 'none') return t.fail(about)
    t.is(filled.tokens.high > plain.tokens.high, isMet, about)
    const isOfLeader = event.slot === SLOT && event.blockTxIndex === 5
    t.is(quoted.basis === 'exact' && quoted.tokens.high > plain.tokens.high, isOfLeader, about)
  }
})

test('slots that were not read between leader and fill leave the fill without a price', (t) => {
  const END: At = { position: 'end', delaySlots: 8 }
  const cases: [from: number, to: number, later: number, at: At, isCounted: boolean][] = [
    [-9, -1, 10, END, false],
    // Up to the state that the fill meets, and after it.
    [2, 3, 4, END, true],
    [2, 3, 10, END, true],
    [5, 6, 4, END, true],
    [8, 8, 4, END, true],
    [9, 15, 4, END, false],
    [8, 8, 4, { position: 'start', delaySlots: 8 }, false],
    [2, 3, 4, DIRECT, false],
  ]
  for (const [from, to, later, at, isCounted] of cases) {
    const gaps = [{ from: SLOT + from, to: SLOT + to }]
    const { filled, quoted } = fillOf(at, { gaps }, later)
    const about = JSON.stringify([from, to, later, at])
    t.is(filled.basis === 'none' && filled.reason === 'coverage', isCounted, about)
    t.is(quoted.basis, 'exact', about)
  }
})

/** A leader buys and sells all on a new curve of venue 1, which takes two fees outside the legs. */
function launched(lamports: bigint): Swap[] {
  const [sol, tokens] = [30_000_000_000n, 1_073_000_000_000_000n]
  const most = { sol: 0n, tokens: 793_100_000_000_000n }
  const legs = bondingCurve({ sol, tokens }, most).buy(lamports)
  const of = {
    ...LEADER,
    dex: 1,
    feeBps: 95,
    creatorFeeBps: 30,
    tokenAmount: int64(legs.tokens),
  } as const
  const [after, left] = [
    { sol: sol + legs.sol, tokens: tokens - legs.tokens },
    most.tokens - legs.tokens,
  ]
  const proceeds = bondingCurve(after, { sol: legs.sol, tokens: left }).proceeds(legs.tokens)
  const reserves = (
    virtualSol: bigint,
    virtualTokens: bigint,
    real: bigint,
    realTokens: bigint,
  ) => ({
    ...{ virtualSolReserves: int64(virtualSol), virtualTokenReserves: int64(virtualTokens) },
    ...{ realSolReserves: int64(real), realTokenReserves: int64(realTokens) },
  })
  const bought = reserves(after.sol, after.tokens, legs.sol, left)
  const sold = reserves(after.sol - proceeds, tokens, legs.sol - proceeds, most.tokens)
  return [
    sampleSwap({ ...of, ...bought, isBuy: true, solAmount: int64(legs.sol), slot: SLOT }),
    sampleSwap({
      ...{ ...of, ...sold, isBuy: false, solAmount: int64(proceeds), slot: SLOT + 1 },
      signature: signatureOf(2),
    }),
  ]
}

test('a copy in the state of its quote never fails by slippage, dust that brings less than its fees included', (t) => {
  const bps = fc.bigInt({ min: 0n, max: 10_000n })
  let losses = 0
  fc.assert(
    fc.property(fc.bigInt({ min: 4n, max: 40n }), bps, bps, (lamports, buys, sells) => {
      const swaps = launched(SIZE)
      const settings = settingsOf({
        ...{ ...DIRECT, size: { lamports } },
        ...{ slippageBps: buys, sellSlippageBps: sells },
      })
      const run = new CopyRun(copiedPools(swaps), settings)
      const trades = ordersOf(swaps, 0, SLOT + 1).map((each) => run.take(each))
      for (const { status, lamports: got } of trades) {
        t.is(status, 'exact', `${lamports} ${sells}`)
        if (got.low < 0n) losses += 1
      }
    }),
    { numRuns: 300 },
  )
  t.true(losses > 0)
})
