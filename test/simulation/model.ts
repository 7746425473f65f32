/**
 * A second, naive model of the pool actor, written only from docs/semantics.md#prices-and-impact: slow, plain, whole. It
 * sees all events at once, so it depends on no arrival order except "the first delivery wins". The judge of the
 * simulation; shares only types with the product.
 */
import type { Event } from '../../domain/events/event.ts'
import type { PoolEvent } from '../../domain/events/pool-event.ts'
import type { Swap } from '../../domain/events/swap.ts'
import type { Token } from '../../domain/events/token.ts'
import { exactQuotient, roundedHalfAway, truncated } from './models/exact.ts'

export type ModelSwap = { swap: Swap; poolPrice: number; priceImpactBps: bigint | null }

export type ModelPool = {
  pairAddress: string
  tokenAddress: string
  swapCount: number
  newest: Swap | undefined
  firstSlot: number | null
  correctedPoolPrice: number | null
  migratedAtMs: number | null
  migratedFrom: string | null
}

type ModelToken = Record<TokenField, string | null> & { tokenAddress: string }

export type Model = {
  /** By identity. */
  swaps: Map<string, ModelSwap>
  /** By pair and mint. */
  pools: Map<string, ModelPool>
  /** By identity. */
  poolEvents: Map<string, PoolEvent>
  /** By mint; every mint that anything names. */
  tokens: Map<string, ModelToken>
}

export const TOKEN_FIELDS = [
  'creator',
  'decimals',
  'symbol',
  'name',
  'supply',
  'sector',
  'uri',
] as const
type TokenField = (typeof TOKEN_FIELDS)[number]

const MARKED_AGENTS_FROM = Date.parse('2026-05-30T00:00:00Z')
const SHORT_RESERVES_FROM = Date.parse('2026-07-15T00:00:00Z')
const SHORT_BY_LAMPORTS = 17_580_000_000n
const INT64_MAX = 2n ** 63n - 1n

/** The expected rows for any order of arrival (first delivery aside). */
export function modelOf(events: readonly Event[]): Model {
  const poolEvents = new Map<string, PoolEvent>()
  const tokens: Token[] = []
  for (const event of events) {
    if (event.kind === 'pool_event') {
      keepFirst(poolEvents, identityOfPoolEvent(event.poolEvent), event.poolEvent)
    } else if (event.kind === 'token') tokens.push(event.token)
  }
  const model: Model = { swaps: new Map(), pools: new Map(), poolEvents, tokens: new Map() }
  for (const pool of poolsOf(storedSwaps(events), [...poolEvents.values()])) {
    model.pools.set(`${pool.pairAddress} ${pool.tokenAddress}`, stateOf(pool))
    pool.swaps.forEach((swap, index) => {
      model.swaps.set(identityOfSwap(swap), {
        swap,
        poolPrice: poolPriceOf(swap),
        priceImpactBps: impactOf(pool, index),
      })
    })
  }
  const mints = [...model.pools.values(), ...tokens].map((each) => each.tokenAddress)
  const linesOf = Map.groupBy(tokens, ({ tokenAddress }) => tokenAddress)
  for (const mint of new Set(mints)) model.tokens.set(mint, tokenOf(mint, linesOf.get(mint) ?? []))
  return model
}

/** Each swap once, as it was first delivered, without a fork's version of one in another slot. */
export function storedSwaps(events: readonly Event[]): Swap[] {
  const stored = new Map<string, Swap>()
  const slots = new Map<string, Set<number>>()
  for (const event of events) {
    if (event.kind !== 'swap') continue
    const { signature, dex, ixIndex, pairAddress, user, isBuy, slot } = event.swap
    const identity = identityOfSwap(event.swap)
    const key = [signature, dex, ixIndex, pairAddress, user, isBuy].join(' ')
    const reportedIn = slots.get(key) ?? new Set([slot])
    const isOfAnotherSlot = [...reportedIn].some((each) => each !== slot)
    if (stored.has(identity) || isOfAnotherSlot) continue
    stored.set(identity, event.swap)
    slots.set(key, reportedIn)
  }
  return [...stored.values()]
}

function keepFirst<Value>(known: Map<string, Value>, key: string, value: Value): void {
  if (!known.has(key)) known.set(key, value)
}

export function identityOfSwap(swap: Swap): string {
  const { signature, dex, ixIndex, pairAddress, user, isBuy, solAmount, tokenAmount } = swap
  return [signature, dex, ixIndex, pairAddress, user, isBuy, solAmount, tokenAmount].join(' ')
}

export function identityOfPoolEvent(event: PoolEvent): string {
  return [event.signature, event.event, event.pairAddress, event.ixIndex].join(' ')
}

type History = {
  pairAddress: string
  tokenAddress: string
  /** In canonical order. */
  swaps: Swap[]
  events: PoolEvent[]
  /** The canonically first `migrated` event with dex 2 that names the curve it came from. */
  migration: PoolEvent | undefined
}

function poolsOf(swaps: readonly Swap[], events: readonly PoolEvent[]): History[] {
  const pools = new Map<string, History>()
  const poolOf = ({ pairAddress, tokenAddress }: Swap | PoolEvent): History => {
    const key = `${pairAddress} ${tokenAddress}`
    const known = pools.get(key)
    if (known !== undefined) return known
    const fresh = { pairAddress, tokenAddress, swaps: [], events: [], migration: undefined }
    pools.set(key, fresh)
    return fresh
  }
  for (const swap of swaps) poolOf(swap).swaps.push(swap)
  for (const event of events) poolOf(event).events.push(event)
  for (const pool of pools.values()) {
    pool.swaps.sort(canonically)
    pool.migration = pool.events
      .filter((event) => event.event === 'migrated' && event.dex === 2 && event.fromPair)
      .sort((a, b) => comparePosition(a, b) || compare(a.signature, b.signature))[0]
  }
  return [...pools.values()]
}

type Position = { slot: number; blockTxIndex: number; ixIndex: number }

function compare<Value extends string | number | bigint>(a: Value, b: Value): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

export function comparePosition(a: Position, b: Position): number {
  return (
    compare(a.slot, b.slot) ||
    compare(a.blockTxIndex, b.blockTxIndex) ||
    compare(a.ixIndex, b.ixIndex)
  )
}

export function canonically(a: Swap, b: Swap): number {
  return (
    comparePosition(a, b) ||
    compare(a.dex, b.dex) ||
    compare(a.isBuy ? 0 : 1, b.isBuy ? 0 : 1) ||
    compare(a.signature, b.signature) ||
    compare(a.pairAddress, b.pairAddress) ||
    compare(a.user, b.user) ||
    compare(BigInt(a.solAmount), BigInt(b.solAmount)) ||
    compare(BigInt(a.tokenAmount), BigInt(b.tokenAmount))
  )
}

function poolPriceOf(swap: Swap): number {
  if (swap.poolPrice !== undefined) return swap.poolPrice
  const isCurve = swap.dex === 1
  const sol = Number(isCurve ? swap.virtualSolReserves : swap.realSolReserves)
  const tokens = Number(isCurve ? swap.virtualTokenReserves : swap.realTokenReserves)
  return tokens === 0 ? 0 : sol / 1e9 / (tokens / 10 ** swap.quoteDecimals)
}

/** Lamports that the pool does not report: what the swap states, else a constant of pools that migrated. */
function shortBy(pool: History, swap: Swap): bigint {
  if (swap.dex !== 2) return 0n
  if (swap.virtualQuoteReserves !== undefined) return BigInt(swap.virtualQuoteReserves)
  const isShort = (pool.migration?.timestamp ?? 0) >= SHORT_RESERVES_FROM
  return isShort ? SHORT_BY_LAMPORTS : 0n
}

function correctedPriceOf(pool: History, swap: Swap): number {
  const short = shortBy(pool, swap)
  if (short === 0n) return poolPriceOf(swap)
  const tokens = Number(swap.realTokenReserves)
  if (tokens === 0) return 0
  const sol = Number(swap.realSolReserves) / 1e9 + Number(short) / 1e9
  return sol / (tokens / 10 ** swap.quoteDecimals)
}

function stateOf(pool: History): ModelPool {
  const newest = pool.swaps.at(-1)
  return {
    pairAddress: pool.pairAddress,
    tokenAddress: pool.tokenAddress,
    swapCount: pool.swaps.length,
    newest,
    firstSlot: pool.swaps[0]?.slot ?? null,
    correctedPoolPrice: newest === undefined ? null : correctedPriceOf(pool, newest),
    migratedAtMs: pool.migration?.timestamp ?? null,
    migratedFrom: pool.migration?.fromPair ?? null,
  }
}

/** The rules of price impact, in the order in which they are checked. */
function impactOf(pool: History, index: number): bigint | null {
  const swap = pool.swaps[index]!
  if (swap.dex === 8 || swap.dex === 10) return null
  if (swap.agentTrade === 2) return null
  const fees = [swap.fee, swap.feeBps, swap.creatorFee, swap.creatorFeeBps]
  const hasNoFee = fees.every((fee) => fee === 0)
  if (swap.dex === 1 && hasNoFee && swap.timestamp < MARKED_AGENTS_FROM) return null
  if (BigInt(swap.solAmount) < 10_000n || BigInt(swap.tokenAmount) < 10_000n) return null
  if (swap.dex === 1) {
    const virtual = [BigInt(swap.virtualSolReserves), BigInt(swap.virtualTokenReserves)] as const
    return exactImpact(swap, ...virtual, truncated)
  }
  if (swap.dex === 2 || swap.dex === 3 || swap.dex === 5) {
    const sign = swap.isBuy ? 1n : -1n
    const sol = BigInt(swap.realSolReserves) - sign * BigInt(swap.solAmount) + shortBy(pool, swap)
    const tokens = BigInt(swap.realTokenReserves) + sign * BigInt(swap.tokenAmount)
    return exactImpact(swap, sol, tokens, swap.dex === 2 ? truncated : neverZero)
  }
  return publishedImpact(swap, swap.priceBefore ?? priceLeftBefore(pool, index))
}

type Rounding = (numerator: bigint, denominator: bigint) => bigint

/** Executed price over the reserves' price, as one fraction of integers. */
function exactImpact(swap: Swap, sol: bigint, tokens: bigint, round: Rounding): bigint | null {
  if (sol <= 0n || tokens <= 0n) return null
  const executed = { over: BigInt(swap.solAmount), under: BigInt(swap.tokenAmount) }
  const ratio = { over: executed.over * tokens, under: executed.under * sol }
  const excess = swap.isBuy ? ratio.over - ratio.under : ratio.under - ratio.over
  return held(round(excess * 10_000n, ratio.under))
}

/** To the nearest; a 0 becomes +1 or -1 by its sign, +1 within 1e-7. */
function neverZero(numerator: bigint, denominator: bigint): bigint {
  const rounded = roundedHalfAway(numerator, denominator)
  if (rounded !== 0n) return rounded
  return numerator * 10_000_000n < -denominator ? -1n : 1n
}

/** By the price that was published; undefined where there is none. */
function publishedImpact(swap: Swap, reference: number | undefined): bigint | null {
  if (reference === undefined || !Number.isFinite(reference) || !(reference > 0)) return null
  const perToken = exactQuotient(BigInt(swap.solAmount), BigInt(swap.tokenAmount))
  const executed = perToken * Number(`1e${swap.quoteDecimals - 9}`)
  const impact = (swap.isBuy ? 1 : -1) * (executed / reference - 1) * 10_000
  if (!Number.isFinite(impact)) return null
  const nearest = Math.round(Math.abs(impact)) * Math.sign(impact)
  if (nearest !== 0) return held(BigInt(nearest))
  return impact < -1e-7 ? -1n : 1n
}

/** The price after of the swap just before, unless liquidity changed between the two. */
function priceLeftBefore(pool: History, index: number): number | undefined {
  const before = pool.swaps[index - 1]
  const after = pool.swaps[index]!
  if (before === undefined) return undefined
  const isBetween = (event: PoolEvent): boolean =>
    (event.event === 'liquidity_added' || event.event === 'liquidity_removed') &&
    comparePosition(event, before) >= 0 &&
    comparePosition(event, after) <= 0
  return pool.events.some(isBetween) ? undefined : before.priceAfter
}

/** A column of 64 bits holds no more. */
function held(exact: bigint): bigint {
  if (exact > INT64_MAX) return INT64_MAX
  return exact < -INT64_MAX - 1n ? -INT64_MAX - 1n : exact
}

/** Without NULs and spaces around it. */
function withoutPadding(text: string): string {
  const characters = text.split('')
  const isPadding = (character: string | undefined) => character === '\0' || character === ' '
  while (isPadding(characters[0])) characters.shift()
  while (isPadding(characters.at(-1))) characters.pop()
  return characters.join('')
}

/** From a mint's lines: for each field the value of the highest slot, ties by the greater text (as bytes). */
function tokenOf(mint: string, lines: readonly Token[]): ModelToken {
  const token = { tokenAddress: mint } as ModelToken
  for (const field of TOKEN_FIELDS) {
    const known = lines
      .filter((line) => line[field] !== undefined)
      .map((line) => ({ slot: line.slot, text: withoutPadding(String(line[field])) }))
      // A NUL within a text costs the field.
      .filter(({ text }) => !text.includes('\0'))
      .sort((a, b) => compare(a.slot, b.slot) || Buffer.from(a.text).compare(Buffer.from(b.text)))
    token[field] = known.at(-1)?.text ?? null
  }
  return token
}
