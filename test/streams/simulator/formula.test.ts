/**
 * Every row of a long run against its venue's formula, written here from the rows only: the reserves of a pool before
 * are the row before it, moved by the liquidity events in between. Fills are not recomputed but judged: the invariant
 * must hold, and one unit more would have broken it.
 */

import type { ExecutionContext } from 'ava'
import test from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import { type VenueKind, venueOf } from '../../../domain/venue.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'

const SWAPS = 20_000
const UNREPORTED = 17_580_000_000n
const LAMPORTS = 1e9

/** True reserves after the last row, and the price that it left. */
type Known = { sol: bigint; token: bigint; unreported: bigint; priceAfter?: number }
type Judge = (swap: Swap, before: Known) => string | undefined

const ceilBps = (quantity: bigint, bps: number) => (quantity * BigInt(bps) + 9_999n) / 10_000n

/** x * y may not fall, and would have fallen with one more unit out. */
function productHolds(x: bigint, y: bigint, xIn: bigint, yOut: bigint): boolean {
  const product = x * y
  return (x + xIn) * (y - yOut) >= product && (x + xIn) * (y - yOut - 1n) < product
}

const judgeCurve: Judge = (swap, before) => {
  const [sol, token] = [BigInt(swap.solAmount), BigInt(swap.tokenAmount)]
  const [x, y] = [before.sol + 30_000_000_000n, before.token + 279_900_000_000_000n]
  if (swap.agentTrade !== 2) {
    if (BigInt(swap.fee) !== ceilBps(sol, 95)) return 'fee'
    if (BigInt(swap.creatorFee) !== ceilBps(sol, 30)) return 'creator fee'
  }
  if (BigInt(swap.virtualSolReserves) !== BigInt(swap.realSolReserves) + 30_000_000_000n) {
    return 'virtual SOL'
  }
  if (BigInt(swap.virtualTokenReserves) - BigInt(swap.realTokenReserves) !== 279_900_000_000_000n) {
    return 'virtual tokens'
  }
  if (!swap.isBuy) return productHolds(y, x, token, sol) ? undefined : 'sell'
  if (swap.realTokenReserves === 0) {
    // The last buy requests tokens: the least SOL that preserves the product.
    const keeps = (paid: bigint) => (x + paid) * (y - token) >= x * y
    return keeps(sol) && !keeps(sol - 1n) ? undefined : 'last buy'
  }
  return productHolds(x, y, sol, token) ? undefined : 'buy'
}

const judgeSolFee: Judge = (swap, { sol: x, token: y }) => {
  const [sol, token, fee] = [BigInt(swap.solAmount), BigInt(swap.tokenAmount), BigInt(swap.fee)]
  if (swap.isBuy) {
    return fee === ceilBps(sol, 20) && productHolds(x, y, sol - fee, token) ? undefined : 'buy'
  }
  return fee === ceilBps(sol + fee, 20) && productHolds(y, x, token, sol + fee) ? undefined : 'sell'
}

const judgeInputFee: Judge = (swap, { sol: x, token: y }) => {
  const [sol, token] = [BigInt(swap.solAmount), BigInt(swap.tokenAmount)]
  if (swap.isBuy) return productHolds(x, y, sol - ceilBps(sol, 25), token) ? undefined : 'buy'
  return productHolds(y, x, token - ceilBps(token, 25), sol) ? undefined : 'sell'
}

/** 30 lamports for the first whole token, 300 for the last of 800 million: the area between. */
const judgeLaunch: Judge = (swap, before) => {
  const [sol, token] = [BigInt(swap.solAmount), BigInt(swap.tokenAmount)]
  const unit = 10n ** BigInt(swap.quoteDecimals)
  const sold = 800_000_000n * unit - before.token
  const [low, high] = swap.isBuy ? [sold, sold + token] : [sold - token, sold]
  // Mean price over the stretch times its width, over the common divisor 2 * 8e8 * unit^2.
  const area = (high - low) * (30n * 2n * 800_000_000n * unit + 270n * (low + high))
  const divisor = 2n * 800_000_000n * unit * unit
  const exact = swap.isBuy ? (area + divisor - 1n) / divisor : area / divisor
  return sol === exact ? undefined : `sol ${sol} is not ${exact}`
}

const judgeConcentrated: Judge = (swap, known) => {
  const scale = 10 ** (swap.quoteDecimals - 9)
  const { priceAfter } = swap
  if (priceAfter === undefined) return 'no price after'
  if ((swap.dex === 7) !== (swap.priceBefore === undefined)) return 'price before'
  const priceBefore = swap.priceBefore ?? known.priceAfter
  if (priceBefore === undefined) return undefined
  if (known.priceAfter !== undefined && known.priceAfter !== priceBefore) return 'price gap'
  if (swap.solAmount < 1_000_000 || swap.tokenAmount < 1_000_000) return undefined
  const [sol, token, bps] = [Number(swap.solAmount), Number(swap.tokenAmount), swap.feeBps]
  const stored = 1 - bps / 10_000
  const executed = (swap.isBuy ? (sol * stored) / token : sol / (token * stored)) * scale
  const [low, high] = [Math.min(priceBefore, priceAfter), Math.max(priceBefore, priceAfter)]
  const isInside = executed > low * (1 - 2e-6) && executed < high * (1 + 2e-6)
  return isInside ? undefined : `executed ${executed} is not in ${low}..${high}`
}

const judgeHidden: Judge = (swap) =>
  swap.realSolReserves === 0 && swap.realTokenReserves === 0 ? undefined : 'reserves'

const JUDGES: Readonly<Record<VenueKind, Judge>> = {
  bonding_curve: judgeCurve,
  constant_product: (swap, before) => (swap.dex === 2 ? judgeSolFee : judgeInputFee)(swap, before),
  concentrated_liquidity: judgeConcentrated,
  launch: judgeLaunch,
  no_reserves: judgeHidden,
}

/** The reserves of the pool before, computed from the row. */
function undone(swap: Swap, unreported: bigint): Known {
  const side = swap.isBuy ? 1n : -1n
  return {
    sol: BigInt(swap.realSolReserves) + unreported - side * BigInt(swap.solAmount),
    token: BigInt(swap.realTokenReserves) + side * BigInt(swap.tokenAmount),
    unreported,
  }
}

function judgeRow(swap: Swap, pools: Map<string, Known>): string | undefined {
  const known = pools.get(swap.pairAddress)
  const before = undone(swap, known?.unreported ?? 0n)
  if (known !== undefined && swap.dex !== 10) {
    if (before.sol !== known.sol || before.token !== known.token) return 'reserves do not follow'
    if (known.priceAfter !== undefined) before.priceAfter = known.priceAfter
  }
  pools.set(swap.pairAddress, {
    sol: BigInt(swap.realSolReserves) + before.unreported,
    token: BigInt(swap.realTokenReserves),
    unreported: before.unreported,
    ...(swap.priceAfter !== undefined && { priceAfter: swap.priceAfter }),
  })
  return JUDGES[venueOf(swap.dex).kind](swap, before)
}

/** The pools of a run row by row; answers how often each thing was seen. */
function judgeRun(t: ExecutionContext, fromMs: number): Map<string, number> {
  const pools = new Map<string, Known>()
  const seen = new Map<string, number>()
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
  for (const event of simulate({ seed: 11, swaps: SWAPS, fromMs })) {
    if (event.kind === 'swap') {
      const wrong = judgeRow(event.swap, pools)
      if (wrong !== undefined) t.fail(`${wrong}: ${JSON.stringify(event.swap, replaceBigint)}`)
      count(`swap ${event.swap.dex}`)
    }
    if (event.kind !== 'pool_event') continue
    const { poolEvent } = event
    count(poolEvent.event)
    const [sol, token] = [BigInt(poolEvent.solAmount ?? 0), BigInt(poolEvent.tokenAmount ?? 0)]
    const isLate = poolEvent.timestamp >= Date.UTC(2026, 6, 15)
    const unreported = poolEvent.event === 'migrated' && isLate ? UNREPORTED : 0n
    if (poolEvent.event === 'migrated') {
      pools.set(poolEvent.pairAddress, { sol, token, unreported })
      if (pools.get(poolEvent.fromPair ?? '')?.token !== 0n) t.fail('the curve is not sold out')
    }
    if (poolEvent.event === 'created' && sol > 0n) {
      pools.set(poolEvent.pairAddress, { sol, token, unreported })
    }
    const known = pools.get(poolEvent.pairAddress)
    if (known === undefined || !poolEvent.event.startsWith('liquidity')) continue
    const sign = poolEvent.event === 'liquidity_added' ? 1n : -1n
    known.sol += sign * sol
    known.token += sign * token
  }
  return seen
}

const replaceBigint = (_: string, value: unknown) =>
  typeof value === 'bigint' ? value.toString() : value

for (const [when, fromMs] of [
  ['after the correction date', Date.UTC(2026, 7, 1)],
  ['before the correction date', Date.UTC(2026, 5, 20)],
] as const) {
  test(`every row follows its venue's formula from the row before it, ${when}`, (t) => {
    const seen = judgeRun(t, fromMs)
    for (let dex = 1; dex <= 10; dex++) t.true((seen.get(`swap ${dex}`) ?? 0) > 300, `venue ${dex}`)
    t.true((seen.get('migrated') ?? 0) >= 1)
    t.true((seen.get('created') ?? 0) >= 50)
    t.true((seen.get('liquidity_added') ?? 0) >= 5)
    t.true((seen.get('liquidity_removed') ?? 0) >= 5)
  })
}

test('within one range the executed price is the geometric mean of the prices around it', (t) => {
  let priced = 0
  let mean = 0
  for (const event of simulate({ seed: 12, swaps: SWAPS, fromMs: Date.UTC(2026, 7, 1) })) {
    if (event.kind !== 'swap' || event.swap.priceBefore === undefined) continue
    const { swap } = event
    const [sol, token] = [Number(swap.solAmount) / LAMPORTS, Number(swap.tokenAmount)]
    if (swap.solAmount < 1e7 || swap.tokenAmount < 1e7) continue
    const stored = 1 - swap.feeBps / 10_000
    const executed = swap.isBuy ? (sol * stored) / token : sol / (token * stored)
    const inWhole = executed * 10 ** swap.quoteDecimals
    priced += 1
    if (Math.abs(inWhole / Math.sqrt(swap.priceBefore! * swap.priceAfter!) - 1) < 1e-6) mean += 1
  }
  t.true(priced > 1000)
  // The rest cross from one range into the next.
  t.true(mean / priced > 0.9, `${mean} of ${priced}`)
})
