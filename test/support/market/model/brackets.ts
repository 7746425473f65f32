// Brackets of a pool by the second model: docs/semantics.md#sandwiches.

import { changesLiquidity } from '../../../../domain/events/pool-event.ts'
import { liesBetween, type Swap } from '../../../../domain/events/swap.ts'
import { type Formula, formulaOf, hiddenOf, plus } from './formulas.ts'
import { priceOf } from './quotes.ts'
import {
  after,
  before,
  down,
  legsOf,
  lower,
  type ModelPool,
  type Pair,
  same,
  slotsOf,
  up,
} from './slots.ts'

/** `high` undefined: not known. */
type ModelLoss = { basis: 'exact' | 'bounded'; low: bigint; high: bigint | undefined }
/** Swaps by their place in execution order. */
type ModelBracket = {
  ruling: string
  link: string
  width: string
  fronts: number[]
  backs: number[]
  victims: [at: number, loss: ModelLoss | undefined][]
  profit: bigint | undefined
  gain: bigint
}

type Placed = { swap: Swap; at: number; isOrdered: boolean; isTrue: boolean; isOut: boolean }
type Found = Omit<ModelBracket, 'width' | 'fronts' | 'backs' | 'victims'> & {
  fronts: Placed[]
  backs: Placed[]
  victims: { placed: Placed; loss: ModelLoss | undefined }[]
}

const DUST = 10_000n
const ANY: Pair = [10n ** 40n, 10n ** 40n]

/** Base units that arrived at the wallet or left it; below, the lamports that it paid or got. */
const quantity = (swap: Swap): bigint =>
  swap.isBuy
    ? BigInt(swap.tokenAmount) - BigInt(swap.transferFeeOut)
    : BigInt(swap.tokenAmount) + BigInt(swap.transferFeeIn)
function lamports(swap: Swap): bigint {
  const isStated = swap.dex === 1 || swap.dex === 8
  const fees = BigInt(swap.fee) + BigInt(swap.creatorFee) - BigInt(swap.cashback)
  const outside = isStated ? fees : 0n
  return BigInt(swap.solAmount) + (swap.isBuy ? outside : -outside)
}
const sumOf = (swaps: readonly Swap[], of: (swap: Swap) => bigint): bigint =>
  swaps.reduce((sum, swap) => sum + of(swap), 0n)
const swapsOf = (placed: readonly Placed[]): Swap[] => placed.map(({ swap }) => swap)

/** Undefined where less than half of the larger side matches. */
export function modelProfit(bought: readonly Swap[], sold: readonly Swap[]): bigint | undefined {
  const [tb, ts] = [sumOf(bought, quantity), sumOf(sold, quantity)]
  const q = lower(tb, ts)
  if (q <= 0n || 2n * q < tb + ts - q) return undefined
  return down(sumOf(sold, lamports) * q, ts) - up(sumOf(bought, lamports) * q, tb)
}
const isDust = (swap: Swap): boolean => legsOf(swap).some((leg) => leg < DUST)

export function modelBrackets(pool: ModelPool, window: number): ModelBracket[] {
  const all = placedOf(pool)
  const known = all.filter(({ isOut }) => !isOut)
  const narrow = [...Map.groupBy(known, ({ swap }) => swap.slot).values()].flatMap((own) =>
    scan(pool, all, own, { window: 0, near: own }),
  )
  const taken = legsIn(narrow)
  const left = known.filter((each) => !taken.has(each))
  const stretches = window === 0 ? [] : stretchesOf(left, window)
  const wide = stretches.flatMap((own) => scan(pool, all, own, { window, near: known }))
  const refused = (window === 0 ? narrow : wide).filter(({ ruling }) => ruling !== 'sandwich')
  return [
    ...lastVictims(narrow, taken),
    ...lastVictims(wide, taken.union(legsIn(wide))),
    ...refused,
  ].map(shown)
}

function placedOf({ swaps }: ModelPool): Placed[] {
  const all = slotsOf(swaps).flatMap(({ swaps: own, isOrdered, isTrue }) =>
    own.map((swap) => ({ swap, isOrdered, isTrue })),
  )
  return all.map((each, at) => ({
    ...{ ...each, at },
    isOut: swaps.some(
      ({ signature, user, isBuy }) =>
        signature === each.swap.signature && user === each.swap.user && isBuy !== each.swap.isBuy,
    ),
  }))
}

const legsIn = (found: readonly Found[]): Set<Placed> =>
  new Set(
    found.flatMap(({ ruling, fronts, backs }) =>
      ruling === 'sandwich' ? [...fronts, ...backs] : [],
    ),
  )

const lastVictims = (found: readonly Found[], legs: ReadonlySet<Placed>): Found[] =>
  found
    .filter(({ ruling }) => ruling === 'sandwich')
    .map((each) => ({ ...each, victims: each.victims.filter((own) => !legs.has(own.placed)) }))
    .filter(({ victims }) => victims.length > 0)

function shown({ fronts, backs, victims, ...found }: Found): ModelBracket {
  const [first, last] = [fronts[0]!, backs.at(-1)!]
  const far = [
    victims[0]!.placed.swap.blockTxIndex - first.swap.blockTxIndex,
    last.swap.blockTxIndex - victims.at(-1)!.placed.swap.blockTxIndex,
  ]
  const isTight = first.isTrue && far.every((transactions) => transactions <= 4)
  return {
    ...found,
    width: first.swap.slot !== last.swap.slot ? 'wide' : isTight ? 'tight' : 'slot',
    fronts: fronts.map(({ at }) => at),
    backs: backs.map(({ at }) => at),
    victims: victims.map(({ placed, loss }) => [placed.at, loss]),
  }
}

/** A run ends where no pair of legs that could be an attacker's lies around the beginning of a slot. */
function stretchesOf(left: readonly Placed[], window: number): Placed[][] {
  const isPair = ({ swap: a }: Placed, { swap: b }: Placed): boolean =>
    a.isBuy !== b.isBuy &&
    b.slot - a.slot <= window &&
    (a.user === b.user || (quantity(a) === quantity(b) && quantity(a) >= DUST))
  const isCut = (slot: number): boolean =>
    slot % 4_096 === 0 ||
    !left.some((a) => a.swap.slot < slot && left.some((b) => b.swap.slot >= slot && isPair(a, b)))
  const stretches: Placed[][] = []
  for (const each of left) {
    const before = stretches.at(-1)?.at(-1)?.swap.slot
    const { slot } = each.swap
    const first = Math.max((before ?? 0) + 1, slot - window)
    const slots = Array.from({ length: Math.max(0, slot - first + 1) }, (_, n) => first + n)
    if (before === undefined || slots.some(isCut)) stretches.push([each])
    else stretches.at(-1)!.push(each)
  }
  return stretches
}

type Scope = { window: number; near: readonly Placed[] }

function scan(pool: ModelPool, all: readonly Placed[], own: readonly Placed[], scope: Scope) {
  const { window, near } = scope
  const found: Found[] = []
  for (const ofWallet of Map.groupBy(own, ({ swap }) => swap.user).values()) {
    const runs: Placed[][] = []
    for (const each of ofWallet) {
      if (runs.at(-1)?.[0]?.swap.isBuy === each.swap.isBuy) runs.at(-1)!.push(each)
      else runs.push([each])
    }
    for (let run = 0; run + 1 < runs.length; run++) {
      const last = runs[run]!.at(-1)!.swap.slot
      const fronts = runs[run]!.filter(({ swap }) => last - swap.slot <= window)
      const first = fronts[0]!.swap.slot
      const backs = runs[run + 1]!.filter(({ swap }) => swap.slot - first <= window)
      const bracket = backs.length > 0 ? judged(pool, all, { link: 'wallet', fronts, backs }) : []
      found.push(...bracket)
      if (bracket[0]?.ruling === 'sandwich') run++
    }
  }
  const taken = legsIn(found)
  for (const front of own) {
    for (const back of own) {
      const isFree = !taken.has(front) && !taken.has(back) && front.at < back.at
      if (!isFree || !isHandedOver(front, back, window)) continue
      const isNear = ({ swap }: Placed): boolean =>
        [front, back].some((leg) => Math.abs(leg.swap.slot - swap.slot) <= window)
      const alike = near.filter(
        (each) => isNear(each) && quantity(each.swap) === quantity(front.swap),
      )
      const users = [front.swap.user, back.swap.user]
      const theirs = near.filter((each) => isNear(each) && users.includes(each.swap.user))
      if (alike.length === 2 && theirs.length === 2) {
        found.push(...judged(pool, all, { link: 'amount', fronts: [front], backs: [back] }))
      }
    }
  }
  return found
}

function isHandedOver({ swap: a }: Placed, { swap: b }: Placed, window: number): boolean {
  const isOpposite = a.isBuy !== b.isBuy && a.user !== b.user
  const isEqual = quantity(a) === quantity(b) && quantity(a) >= DUST
  return isOpposite && isEqual && b.slot - a.slot <= window
}

type Legs = Pick<Found, 'link' | 'fronts' | 'backs'>

function judged(pool: ModelPool, all: readonly Placed[], legs: Legs): Found[] {
  const { fronts, backs } = legs
  const own = [...fronts, ...backs]
  const span = all.slice(fronts[0]!.at, backs.at(-1)!.at + 1)
  const { isBuy } = fronts[0]!.swap
  const between = span.filter(
    ({ swap, isOut }) =>
      !(isOut || isDust(swap)) &&
      swap.isBuy === isBuy &&
      own.every((leg) => leg.swap.user !== swap.user && leg.swap.signature !== swap.signature),
  )
  if (between.length === 0) return []
  const victims = between.map((placed) => ({ placed, loss: undefined }))
  const refused = { ...legs, victims, profit: undefined, gain: 0n }
  if (span.some(({ isOrdered }) => !isOrdered)) return [{ ...refused, ruling: 'order_unknown' }]
  if (between.length > 1_000) return [{ ...refused, ruling: 'too_many' }]
  const [bought, sold] = (isBuy ? [fronts, backs] : [backs, fronts]).map(swapsOf)
  const profit = modelProfit(bought!, sold!)
  if (profit === undefined) return [{ ...refused, ruling: 'unmatched' }]
  if (profit <= 0n) return [{ ...refused, ruling: 'unprofitable', profit }]
  const previous = all[fronts[0]!.at - 1]
  const losses = lossesOf(pool, span, { own, previous })
  const lost = between
    .map((placed) => ({ placed, loss: losses.get(placed) }))
    .filter(({ loss }) => loss !== undefined && (loss.high === undefined || loss.high > 0n))
  if (lost.length === 0) return [{ ...refused, ruling: 'harmless', profit }]
  const gains = Array.from(losses.values(), ({ low }) => (low < 0n ? -low : 0n))
  const gain = gains.reduce((sum, each) => sum + each, 0n)
  return [{ ...legs, victims: lost, profit, gain, ruling: 'sandwich' }]
}

type Others = { own: readonly Placed[]; previous: Placed | undefined }

function lossesOf(pool: ModelPool, span: readonly Placed[], others: Others) {
  const [first, last] = [span[0]!.swap, span.at(-1)!.swap]
  const formulas = span.map(({ swap }) => formulaOf(swap, hiddenOf(swap, pool.migratedAtMs)))
  const isLinked = span.every(
    ({ swap }, n) => n === 0 || same(after(span[n - 1]!.swap), before(swap)),
  )
  const isOne = formulas.every((each) => each !== undefined && each.rate === formulas[0]?.rate)
  if (isLinked && isOne && !isChanged(pool, first, last)) {
    const found = exactLosses(pool, span, others.own, formulas as Formula[])
    if (found !== undefined) return found
  }
  return boundedLosses(pool, span, others)
}

const isChanged = ({ events }: ModelPool, from: Swap, to: Swap): boolean =>
  events.some((event) => changesLiquidity(event) && liesBetween(event, from, to))

function exactLosses(
  pool: ModelPool,
  span: readonly Placed[],
  own: readonly Placed[],
  formulas: readonly Formula[],
): Map<Placed, ModelLoss> | undefined {
  const losses = new Map<Placed, ModelLoss>()
  let without = before(span[0]!.swap)
  for (const [n, each] of span.entries()) {
    if (own.includes(each)) continue
    const { swap } = each
    const [x, t] = legsOf(swap)
    const hidden = hiddenOf(swap, pool.migratedAtMs)
    const [at, alone] = [plus(before(swap), hidden), plus(without, hidden)]
    const { cost, proceeds } = formulas[n]!
    const [paid, less] = [cost(t, at), cost(t, alone)]
    if (swap.isBuy && (paid === undefined || less === undefined)) return undefined
    const loss = swap.isBuy ? paid! - less! : proceeds(t, alone, ANY) - proceeds(t, at, ANY)
    losses.set(each, { basis: 'exact', low: loss, high: loss })
    const [sol, tokens] = without
    without = swap.isBuy ? [sol + x - loss, tokens - t] : [sol - x - loss, tokens + t]
  }
  return losses
}

function boundedLosses(pool: ModelPool, span: readonly Placed[], { own, previous }: Others) {
  const losses = new Map<Placed, ModelLoss>()
  const front = span[0]!.swap
  const [Fx, Ft] = legsOf(front)
  const isSame = previous !== undefined && !isChanged(pool, previous.swap, front)
  const price =
    priceOf(front.priceBefore, front.quoteDecimals) ??
    (isSame ? priceOf(previous.swap.priceAfter, previous.swap.quoteDecimals) : undefined)
  const others = span.filter((each) => !own.includes(each))
  for (const each of others) {
    const [x, t] = legsOf(each.swap)
    if (each.swap.isBuy !== front.isBuy) continue
    const m = lower(t, Ft)
    const most = front.isBuy ? down(x * m, t) - up(Fx * m, Ft) : down(Fx * m, Ft) - up(x * m, t)
    const low = each === others[0] && most > 0n ? most : 0n
    const worth = (round: typeof down) => price && round(t * price[0], price[1])
    const high = front.isBuy ? minus(x, worth(down)) : minus(worth(up), x)
    losses.set(each, { basis: 'bounded', low, high })
  }
  return losses
}

const minus = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || b === undefined ? undefined : a - b
