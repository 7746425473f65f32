/**
 * A bracket: legs of one attacker on one side of others' swaps, then legs on the other side. It is judged by order, size, profit
 * and loss, and only one with all of them is a sandwich. The order of trades is known, intent is not.
 *
 * Rules: docs/semantics.md#sandwiches.
 */
import type { PoolEvent } from '../../events/pool-event.ts'
import { isDust } from '../../events/swap.ts'
import type { Placed } from './leg.ts'
import { type Loss, lossesOf } from './loss.ts'
import { matchedProfit } from './profit.ts'

/** In the order in which they are decided. */
export const SANDWICH_RULINGS = [
  'order_unknown',
  'too_many',
  'unmatched',
  'unprofitable',
  'harmless',
  'sandwich',
] as const
type SandwichRuling = (typeof SANDWICH_RULINGS)[number]

/** How the legs are those of one attacker: by their wallet, or by an equal quantity that two wallets traded. */
export const SANDWICH_LINKS = ['wallet', 'amount'] as const

type Victim = { readonly placed: Placed; readonly loss: Loss | undefined }
export type Bracket = {
  readonly ruling: SandwichRuling
  readonly link: (typeof SANDWICH_LINKS)[number]
  readonly fronts: readonly Placed[]
  readonly backs: readonly Placed[]
  /** The swaps between; a sandwich has only those that lost, with their losses. */
  readonly victims: readonly Victim[]
  /** Gained by others between the legs, in lamports; 0 where losses are not exact. */
  readonly gainOfOthers: bigint
  /** Profit of the attacker on the quantity that matches; undefined before it is computed. */
  readonly profit: bigint | undefined
}

export type JudgedPool = {
  readonly all: readonly Placed[]
  readonly events: readonly PoolEvent[]
  /** Unix ms. */
  readonly migratedAtMs: number | undefined
}
export type Legs = Pick<Bracket, 'link' | 'fronts' | 'backs'>

const VICTIMS_MAX = 1_000

/** Undefined where nothing of others lies between on the side of the fronts: that is no bracket. */
export function judge(pool: JudgedPool, legs: Legs): Bracket | undefined {
  const { fronts, backs } = legs
  const [first, last] = [fronts[0], backs.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const all = pool.all.slice(first.index, last.index + 1)
  const victims = victimsAmong(all, legs)
  if (victims.length === 0) return undefined
  const refused = { ...legs, victims: victims.map(withoutLoss), gainOfOthers: 0n }
  const unpriced = { ...refused, profit: undefined }
  if (all.some(({ isOrdered }) => !isOrdered)) return { ...unpriced, ruling: 'order_unknown' }
  if (victims.length > VICTIMS_MAX) return { ...unpriced, ruling: 'too_many' }
  const profit = profitOf(legs)
  if (profit === undefined) return { ...unpriced, ruling: 'unmatched' }
  if (profit <= 0n) return { ...refused, ruling: 'unprofitable', profit }
  const { events, migratedAtMs } = pool
  const own = new Set([...fronts, ...backs])
  const before = pool.all[first.index - 1]
  const losses = lossesOf({ all, before, events, migratedAtMs, isLeg: (each) => own.has(each) })
  const lost = victims
    .map((each) => ({ placed: each, loss: losses.get(each) }))
    .filter(({ loss }) => loss !== undefined && (loss.high === undefined || loss.high > 0n))
  if (lost.length === 0) return { ...refused, ruling: 'harmless', profit }
  const gains = Array.from(losses.values(), ({ low }) => (low < 0n ? -low : 0n))
  const gainOfOthers = gains.reduce((sum, gain) => sum + gain, 0n)
  return { ...legs, ruling: 'sandwich', victims: lost, gainOfOthers, profit }
}

const withoutLoss = (placed: Placed): Victim => ({ placed, loss: undefined })

function victimsAmong(all: readonly Placed[], { fronts, backs }: Legs): Placed[] {
  const legs = [...fronts, ...backs].map(({ swap }) => swap)
  const wallets = new Set(legs.map(({ user }) => user))
  const signatures = new Set(legs.map(({ signature }) => signature))
  return all.filter(
    ({ swap, isOfBothSides }) =>
      !isOfBothSides &&
      swap.isBuy === legs[0]?.isBuy &&
      !wallets.has(swap.user) &&
      !signatures.has(swap.signature) &&
      !isDust(swap),
  )
}

function profitOf({ fronts, backs }: Legs): bigint | undefined {
  const [first, second] = [fronts, backs].map((own) => own.map(({ swap }) => swap))
  if (first === undefined || second === undefined) return undefined
  return first[0]?.isBuy === true ? matchedProfit(first, second) : matchedProfit(second, first)
}
