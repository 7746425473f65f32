/**
 * Detection of sandwiches in one pool: first those whose legs are all in one slot, slot by slot, then, among the swaps that they
 * left, those of a wider window, stretch by stretch. So a wider window never takes a narrow sandwich away.
 *
 * Rules: docs/semantics.md#sandwiches.
 */
import type { PoolEvent } from '../../events/pool-event.ts'
import { DUST_BASE_UNITS } from '../../venue.ts'
import type { OrderedSlot } from '../order.ts'
import { walletTokens } from '../wallet-legs.ts'
import { type Bracket, type JudgedPool, judge, type Legs, SANDWICH_LINKS } from './bracket.ts'
import { isCut, joinedSlots, type Stretch } from './cuts.ts'
import { type Placed, placed } from './leg.ts'

/** wide: of several slots; tight: legs and victims are a few transactions apart, by true indexes; slot: any other of one slot. */
export const SANDWICH_WIDTHS = ['tight', 'slot', 'wide'] as const
type Width = (typeof SANDWICH_WIDTHS)[number]

/** A bracket with its width: a sandwich, or one that is refused with its ruling. */
export type Judged = Bracket & { readonly width: Width }

type DetectedPool = {
  /** In execution order; those around the searched ones are context. */
  readonly slots: readonly OrderedSlot[]
  readonly events: readonly PoolEvent[]
  /** Unix ms. */
  readonly migratedAtMs: number | undefined
  /** Between two cuts; absent: everything. */
  readonly searched?: Stretch
}

/** Transactions between the legs and the victims of a tight sandwich. */
const TIGHT_TRANSACTIONS_MAX = 4

/** Sandwiches and refused brackets with legs at most `window` slots apart, in the order of their first legs. */
export function detectSandwiches(
  { slots, events, migratedAtMs, searched }: DetectedPool,
  window: number,
): Judged[] {
  const pool: JudgedPool = { all: placed(slots), events, migratedAtMs }
  const known = pool.all.filter(({ isOfBothSides }) => !isOfBothSides)
  const candidates =
    searched === undefined
      ? known
      : known.filter(({ swap: { slot } }) => slot >= searched.from && slot < searched.end)
  const bySlot = Map.groupBy(candidates, ({ swap }) => swap.slot).values()
  const narrow = [...bySlot].flatMap((own) => scan(pool, own, { window: 0, known: own }))
  const taken = legsOf(narrow)
  const narrowLeft = withoutVictims(narrow.filter(isSandwich), taken)
  if (window === 0) return finished([...narrowLeft, ...narrow.filter(isRefused)])
  const left = candidates.filter((each) => !taken.has(each))
  const wide = stretchesOf(left, window).flatMap((own) => scan(pool, own, { window, known }))
  const wideLeft = withoutVictims(wide.filter(isSandwich), taken.union(legsOf(wide)))
  return finished([...narrowLeft, ...wideLeft, ...wide.filter(isRefused)])
}

const isSandwich = ({ ruling }: Bracket): boolean => ruling === 'sandwich'
const isRefused = (bracket: Bracket): boolean => !isSandwich(bracket)

function stretchesOf(candidates: readonly Placed[], window: number): Placed[][] {
  const joined = joinedSlots(
    candidates.map(({ swap }) => swap),
    window,
  )
  const stretches: Placed[][] = []
  for (const each of candidates) {
    const { slot } = each.swap
    const stretch = stretches.at(-1)
    const reached = stretch?.at(-1)?.swap.slot ?? slot
    const slots = Array.from({ length: Math.min(slot - reached, window) }, (_, at) => slot - at)
    const isJoined = slot - reached <= window && slots.every((at) => !isCut(joined, at))
    if (stretch !== undefined && isJoined) stretch.push(each)
    else stretches.push([each])
  }
  return stretches
}

type Scope = { readonly window: number; readonly known: readonly Placed[] }

/** `known`: all swaps in which a third of a quantity, or another of a wallet, may be. */
function scan(
  pool: JudgedPool,
  candidates: readonly Placed[],
  { window, known }: Scope,
): Bracket[] {
  const found: Bracket[] = []
  for (const own of Map.groupBy(candidates, ({ swap }) => swap.user).values()) {
    if (own.length > 1) found.push(...scanWallet(pool, own, window))
  }
  const taken = legsOf(found)
  const left = candidates.filter((each) => !taken.has(each))
  for (const legs of pairsOfAmount(left, known, window)) found.push(...judged(pool, legs))
  return found
}

const judged = (pool: JudgedPool, legs: Legs): Bracket[] => {
  const bracket = judge(pool, legs)
  return bracket === undefined ? [] : [bracket]
}

/** Neighbouring runs of one side; those of a sandwich are used up, so that consecutive ones are never paired crosswise. */
function scanWallet(pool: JudgedPool, own: readonly Placed[], window: number): Bracket[] {
  const found: Bracket[] = []
  const runs = runsOf(own)
  let next = 0
  while (next + 1 < runs.length) {
    const [bracket] = judged(pool, within(runs[next] ?? [], runs[next + 1] ?? [], window))
    if (bracket !== undefined) found.push(bracket)
    next += bracket?.ruling === 'sandwich' ? 2 : 1
  }
  return found
}

function runsOf(own: readonly Placed[]): Placed[][] {
  const runs: Placed[][] = []
  for (const each of own) {
    const run = runs.at(-1)
    if (run?.[0]?.swap.isBuy === each.swap.isBuy) run.push(each)
    else runs.push([each])
  }
  return runs
}

function within(run: readonly Placed[], next: readonly Placed[], window: number): Legs {
  const last = run.at(-1)?.swap.slot ?? 0
  const fronts = run.filter(({ swap }) => last - swap.slot <= window)
  const first = fronts[0]?.swap.slot ?? 0
  return { link: 'wallet', fronts, backs: next.filter(({ swap }) => swap.slot - first <= window) }
}

/** Pairs of two wallets, each with one swap near, that traded one quantity in opposite directions, with no third swap of it near. */
function* pairsOfAmount(
  left: readonly Placed[],
  known: readonly Placed[],
  window: number,
): Generator<Legs> {
  const pairs = [...Map.groupBy(left, ({ swap }) => walletTokens(swap))].filter(
    ([tokens, own]) => own.length > 1 && tokens >= DUST_BASE_UNITS,
  )
  if (pairs.length === 0) return
  const byQuantity = Map.groupBy(known, ({ swap }) => walletTokens(swap))
  const byWallet = Map.groupBy(known, ({ swap }) => swap.user)
  for (const [tokens, own] of pairs) {
    for (const [index, front] of own.entries()) {
      const back = own[index + 1]
      if (back === undefined || front.swap.user === back.swap.user) continue
      if (front.swap.isBuy === back.swap.isBuy || !isNear(front, back, window)) continue
      const near = (each: Placed): boolean =>
        isNear(each, front, window) || isNear(each, back, window)
      const wallets = [front, back].flatMap(({ swap }) => byWallet.get(swap.user) ?? [])
      const isOnly = byQuantity.get(tokens)?.filter(near).length === 2
      if (isOnly && wallets.filter(near).length === 2) {
        yield { link: 'amount', fronts: [front], backs: [back] }
      }
    }
  }
}

const isNear = (a: Placed, b: Placed, window: number): boolean =>
  Math.abs(a.swap.slot - b.swap.slot) <= window

const legsOf = (brackets: readonly Bracket[]): Set<Placed> =>
  new Set(brackets.filter(isSandwich).flatMap(({ fronts, backs }) => [...fronts, ...backs]))

/** Legs of sandwiches are no victims; a sandwich of which none is left is none. */
function withoutVictims(brackets: readonly Bracket[], legs: ReadonlySet<Placed>): Bracket[] {
  return brackets
    .map((bracket) => ({
      ...bracket,
      victims: bracket.victims.filter((victim) => !legs.has(victim.placed)),
    }))
    .filter(({ victims }) => victims.length > 0)
}

const finished = (brackets: readonly Bracket[]): Judged[] =>
  brackets.map((bracket) => ({ ...bracket, width: widthOf(bracket) })).sort(byFirstLeg)

function widthOf({ fronts, backs, victims }: Bracket): Width {
  const [front, back] = [fronts[0], backs.at(-1)]
  const [first, last] = [victims[0]?.placed, victims.at(-1)?.placed]
  if (!front || !back || !first || !last || front.swap.slot !== back.swap.slot) return 'wide'
  const before = first.swap.blockTxIndex - front.swap.blockTxIndex
  const after = back.swap.blockTxIndex - last.swap.blockTxIndex
  const isTight = before <= TIGHT_TRANSACTIONS_MAX && after <= TIGHT_TRANSACTIONS_MAX
  return front.hasTrueIndexes && isTight ? 'tight' : 'slot'
}

function byFirstLeg(a: Bracket, b: Bracket): number {
  const [first, other] = [a.fronts[0]?.index ?? 0, b.fronts[0]?.index ?? 0]
  return first - other || SANDWICH_LINKS.indexOf(a.link) - SANDWICH_LINKS.indexOf(b.link)
}
