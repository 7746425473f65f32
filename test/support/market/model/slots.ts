// A second model of pools, written from docs/semantics.md only: every question reads everything again, and is slow. This part has the
// execution order of their swaps. `down` and `up` round toward minus and plus infinity.

import type { PoolEvent } from '../../../../domain/events/pool-event.ts'
import { compareSwaps, type Swap } from '../../../../domain/events/swap.ts'

export const down = (a: bigint, b: bigint): bigint => a / b - (a % b !== 0n && a < 0n ? 1n : 0n)
export const up = (a: bigint, b: bigint): bigint => -down(-a, b)
export const lower = (a: bigint, b: bigint): bigint => (a < b ? a : b)

export type Pair = readonly [sol: bigint, tokens: bigint]
export type Range = readonly [low: bigint, high: bigint]
export const same = (a: Pair, b: Pair): boolean => a[0] === b[0] && a[1] === b[1]

type ModelSlot = { slot: number; swaps: Swap[]; isOrdered: boolean; isTrue: boolean }
/** `closed`: by a migration, and the name of the pool that has its liquidity. */
export type ModelPool = {
  swaps: Swap[]
  events: PoolEvent[]
  migratedAtMs: number | undefined
  closed: { slot: number; successor: string } | undefined
  gaps: { from: number; to: number }[]
}

export const legsOf = (swap: Swap): Pair => [BigInt(swap.solAmount), BigInt(swap.tokenAmount)]
export const realAfter = (swap: Swap): Pair => [
  BigInt(swap.realSolReserves),
  BigInt(swap.realTokenReserves),
]
export const after = (swap: Swap): Pair =>
  swap.dex === 1
    ? [BigInt(swap.virtualSolReserves), BigInt(swap.virtualTokenReserves)]
    : realAfter(swap)

function undone(swap: Swap, [sol, tokens]: Pair): Pair {
  const [paid, traded] = legsOf(swap)
  return swap.isBuy ? [sol - paid, tokens + traded] : [sol + paid, tokens - traded]
}
export const before = (swap: Swap): Pair => undone(swap, after(swap))
export const realBefore = (swap: Swap): Pair => undone(swap, realAfter(swap))

export function slotsOf(swaps: readonly Swap[]): ModelSlot[] {
  const found: ModelSlot[] = []
  for (const slot of [...new Set(swaps.map((swap) => swap.slot))].sort((a, b) => a - b)) {
    const own = swaps.filter((swap) => swap.slot === slot).sort(compareSwaps)
    const isTrue = !own.some((a) => own.some((b) => a !== b && clash(a, b)))
    const last = found.at(-1)
    const reached = last?.isOrdered === true ? after(last.swaps.at(-1)!) : undefined
    const linked = isTrue ? own : linkedFrom(own, reached)
    found.push({ slot, swaps: linked ?? own, isOrdered: linked !== undefined, isTrue })
  }
  return found
}

const clash = (a: Swap, b: Swap): boolean =>
  a.signature === b.signature ? a.ixIndex === b.ixIndex : a.blockTxIndex === b.blockTxIndex

function linkedFrom(own: readonly Swap[], reached: Pair | undefined): Swap[] | undefined {
  if (own[0]?.dex === 10) return undefined
  let next = own.filter((swap) => reached !== undefined && same(before(swap), reached))
  if (next.length === 0) {
    next = own.filter((swap) => !own.some((each) => same(after(each), before(swap))))
  }
  const path: Swap[] = []
  while (path.length < own.length) {
    const [only, other] = next
    if (only === undefined || other !== undefined) return undefined
    path.push(only)
    next = own.filter((swap) => !path.includes(swap) && same(before(swap), after(only)))
  }
  return path
}
