/**
 * Filters of events, the same on WebSocket and gRPC. Pure.
 *
 * OR within a field, AND across fields; an absent field restricts nothing. An empty list is refused, because a client
 * that removed the last value would get the whole market; so is an unknown field. A field of swaps that the channel
 * does not have is ignored, and one that the tier lacks is dropped; both are reported and neither is an error.
 * `min_sol` is converted to lamports, rounded up, so that it is inclusive to the last digit.
 */
import { lamportsToSol, readLamports } from '../../domain/amount.ts'
import type { PoolEvent } from '../../domain/events/pool-event.ts'
import type { Swap } from '../../domain/events/swap.ts'
import { isAddress } from '../../domain/numbers/base58.ts'
import { trimPasted } from '../../domain/text/padding.ts'
import { cut } from '../../domain/text/truncate.ts'
import {
  type DexId,
  dexOfText,
  shownVenue,
  VENUE_CHOICES,
  type VenueNaming,
} from '../../domain/venue.ts'
import { TAGS, type Tag, tagBits } from '../../domain/wallet/wallet-tag.ts'
import type { Tier } from '../routing/caller.ts'
import { maskKeys } from '../routing/key-format.ts'
import { unknownAmong, unknownText } from '../routing/unknown-names.ts'

type SwapType = 'buy' | 'sell'

export const EVENT_CHANNELS = ['swaps', 'pool_events'] as const
/** Channel of events: lossless, ordered, resumable. */
export type EventChannel = (typeof EVENT_CHANNELS)[number]

/** Normalised: each list is sorted and without duplicates; an empty list restricts nothing. */
export type FeedFilter = {
  tokens: readonly string[]
  pools: readonly string[]
  wallets: readonly string[]
  venues: readonly DexId[]
  walletTags: readonly Tag[]
  swapType: SwapType | undefined
  /** 0: any. */
  minLamports: bigint
}

export type ParsedFilter = {
  filter: FeedFilter
  /** Fields in the request that the channel's events do not have. */
  ignored: string[]
  /** Fields in the request that the tier does not include. */
  locked: string[]
}

/** Filter as reported to the client, with the names that it sent. */
type ShownFilter = {
  tokens?: readonly string[]
  pools?: readonly string[]
  wallets?: readonly string[]
  venues?: readonly string[]
  wallet_tags?: readonly Tag[]
  swap_type?: SwapType
  min_sol?: number
}

/** A filter that cannot be used; the text names the field, the value and what was expected. */
export class FilterError extends Error {
  readonly code: 'INVALID_FILTER' | 'FILTER_TOO_LARGE'

  constructor(code: FilterError['code'], text: string) {
    super(maskKeys(text))
    this.name = 'FilterError'
    this.code = code
  }
}

const FIELDS: Record<EventChannel, readonly string[]> = {
  swaps: ['tokens', 'pools', 'wallets', 'venues', 'wallet_tags', 'swap_type', 'min_sol'],
  pool_events: ['tokens', 'pools', 'venues'],
}
const TIERS_WITH_TAGS: ReadonlySet<Tier> = new Set(['pro', 'enterprise'])
/** Maximum values of all lists of a filter together: they fit a frame of 64 KiB. */
export const FILTER_VALUES_MAX = 1_000
const LAMPORTS_MAX = 2n ** 63n - 1n

/** Throws FilterError. `given` undefined: matches everything. */
export function parseFilter(given: unknown, channel: EventChannel, tier: Tier): ParsedFilter {
  if (
    given !== undefined &&
    (typeof given !== 'object' || given === null || Array.isArray(given))
  ) {
    throw invalid(`filter ${shown(given)}: expected an object`)
  }
  const fields = { ...given } as Record<string, unknown>
  const ignored = ignoredFields(fields, FIELDS[channel])
  for (const name of ignored) delete fields[name]
  const filter: FeedFilter = {
    tokens: readList(fields, 'tokens', readAddress),
    pools: readList(fields, 'pools', readAddress),
    wallets: readList(fields, 'wallets', readAddress),
    venues: readList(fields, 'venues', readVenue),
    walletTags: readList(fields, 'wallet_tags', readTag),
    swapType: readSwapType(fields.swap_type),
    minLamports: readMinSol(fields.min_sol),
  }
  const { tokens, pools, wallets, venues, walletTags } = filter
  const count = [tokens, pools, wallets, venues, walletTags].reduce((sum, of) => sum + of.length, 0)
  if (count > FILTER_VALUES_MAX) {
    throw new FilterError('FILTER_TOO_LARGE', `${count} values: at most ${FILTER_VALUES_MAX}`)
  }
  const isLocked = walletTags.length > 0 && !TIERS_WITH_TAGS.has(tier)
  if (isLocked) filter.walletTags = []
  return { filter, ignored, locked: isLocked ? ['wallet_tags'] : [] }
}

/** Fields that only other channels have. Throws FilterError for a field that no channel has. */
export function ignoredFields(
  fields: Record<string, unknown>,
  ofChannel: readonly string[],
): string[] {
  const other = unknownAmong(Object.keys(fields), ofChannel)
  const unknown = other.find((name) => !FIELDS.swaps.includes(name))
  if (unknown === undefined) return other
  throw invalid(unknownText('field of filter', unknown, ofChannel))
}

/** The filter as it takes effect. */
export function presentFilter(filter: FeedFilter, naming: VenueNaming = 'ids'): ShownFilter {
  const { tokens, pools, wallets, venues, walletTags, swapType, minLamports } = filter
  return {
    ...(tokens.length === 0 ? {} : { tokens }),
    ...(pools.length === 0 ? {} : { pools }),
    ...(wallets.length === 0 ? {} : { wallets }),
    ...(venues.length === 0 ? {} : { venues: venues.map((dex) => shownVenue(dex, naming)) }),
    ...(walletTags.length === 0 ? {} : { wallet_tags: walletTags }),
    ...(swapType === undefined ? {} : { swap_type: swapType }),
    ...(minLamports === 0n ? {} : { min_sol: lamportsToSol(minLamports) }),
  }
}

/** `walletTags`: tags that the swap was published with, as bits. */
export type MatchSwap = (swap: Swap, walletTags: number) => boolean

export function swapMatcher(filter: FeedFilter): MatchSwap {
  const matchesMarket = marketMatcher(filter)
  const wallets = setOf(filter.wallets)
  const wantedTags = tagBits(filter.walletTags)
  const { swapType, minLamports } = filter
  const isBuy = swapType === undefined ? undefined : swapType === 'buy'
  return (swap, walletTags) =>
    (isBuy === undefined || swap.isBuy === isBuy) &&
    (minLamports === 0n || swap.solAmount >= minLamports) &&
    matchesMarket(swap) &&
    (wallets === undefined || wallets.has(swap.user)) &&
    (wantedTags === 0 || (walletTags & wantedTags) !== 0)
}

export function poolEventMatcher(filter: FeedFilter): (poolEvent: PoolEvent) => boolean {
  return marketMatcher(filter)
}

type OfMarket = Pick<Swap & PoolEvent, 'tokenAddress' | 'pairAddress' | 'dex'>

function marketMatcher(filter: FeedFilter): (traded: OfMarket) => boolean {
  const tokens = setOf(filter.tokens)
  const pools = setOf(filter.pools)
  const venues = setOf(filter.venues)
  return ({ tokenAddress, pairAddress, dex }) =>
    (venues === undefined || venues.has(dex)) &&
    (tokens === undefined || tokens.has(tokenAddress)) &&
    (pools === undefined || pools.has(pairAddress))
}

/** Undefined: restricts nothing. */
function setOf<Value>(values: readonly Value[]): ReadonlySet<Value> | undefined {
  return values.length === 0 ? undefined : new Set(values)
}

/** Parser of a list's values: `read` returns undefined for an invalid value, `expected` is the text of the error. */
type ReadValue<Value> = { expected: string; read: (text: string) => Value | undefined }

const readAddress: ReadValue<string> = {
  expected: 'a base58 address of 32 bytes',
  read: (pasted) => {
    const text = trimPasted(pasted)
    return isAddress(text) ? text : undefined
  },
}
const readVenue: ReadValue<DexId> = {
  expected: VENUE_CHOICES,
  read: dexOfText,
}
const readTag: ReadValue<Tag> = {
  expected: `one of ${TAGS.join(' ')}`,
  read: (text) => TAGS.find((tag) => tag === text),
}

function readList<Value extends string | number>(
  fields: Record<string, unknown>,
  name: string,
  { expected, read }: ReadValue<Value>,
): Value[] {
  const given = fields[name]
  if (given === undefined) return []
  if (!Array.isArray(given)) throw invalid(`${name} ${shown(given)}: expected a list`)
  if (given.length === 0) {
    const most = FILTER_VALUES_MAX
    throw invalid(`${name} "[]": expected 1 to ${most} values; leave ${name} out to take all`)
  }
  if (given.length > FILTER_VALUES_MAX) {
    throw new FilterError('FILTER_TOO_LARGE', `${name}: at most ${FILTER_VALUES_MAX} values`)
  }
  const values = given.map((each: unknown) => {
    const text = name === 'venues' && typeof each === 'number' ? String(each) : each
    const value = typeof text === 'string' ? read(text) : undefined
    if (value === undefined) throw invalid(`${name} ${shown(each)}: expected ${expected}`)
    return value
  })
  return [...new Set(values)].sort((a, b) => (a < b ? -1 : 1))
}

function readSwapType(given: unknown): SwapType | undefined {
  if (given === undefined || given === 'buy' || given === 'sell') return given
  throw invalid(`swap_type ${shown(given)}: use one of buy sell`)
}

/** Reads a number, or a string, which can carry all digits. */
function readMinSol(given: unknown): bigint {
  if (given === undefined) return 0n
  const text = typeof given === 'number' ? String(given) : given
  const lamports = typeof text === 'string' ? readLamports(text) : undefined
  if (lamports !== undefined && lamports <= LAMPORTS_MAX) return lamports
  throw invalid(`min_sol ${shown(given)}: expected SOL as a decimal of 0 to 9223372036`)
}

function invalid(text: string): FilterError {
  return new FilterError('INVALID_FILTER', text)
}

function shown(given: unknown): string {
  return `"${cut(typeof given === 'string' ? given : JSON.stringify(given))}"`
}
