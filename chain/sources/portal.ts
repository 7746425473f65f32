/**
 * Blocks of an SQD Portal as a source: a range of slots, or the chain from a slot on.
 *
 * A portal holds the transactions of the wanted programs, and no count of the others: that a block was read does not prove
 * that each of its transactions came. Its coverage is therefore of a kind of its own (docs/sources.md).
 */
import { type DexId, VENUES } from '../../domain/venue.ts'
import type { ChainLink } from '../../streams/sources/source.ts'
import type { FetchSlots } from './blocks/slot-block.ts'
import type { PortalClient } from './portal/client.ts'
import { type CompletedOptions, completed } from './portal/completed.ts'
import { type Market, ofMarket } from './portal/market.ts'
import { inParallel, type ParallelOptions } from './portal/parallel.ts'
import { createPortalSlots, type PortalSlotsOptions } from './portal/portal-slots.ts'
import { ChainReader, type ChainSource, followingSource, rangeSource } from './reader.ts'

export type PortalSourceOptions = Omit<PortalSlotsOptions, 'programs' | 'mentions' | 'hasNames'> &
  CompletedOptions & {
    client: PortalClient
    /** Absent: all. */
    venues?: ReadonlySet<DexId>
    /** The newest blocks before the first slot, as an earlier run read them: whether the chain left them meanwhile. */
    links?: readonly ChainLink[]
  }

/** Addresses of the programs of venues; absent: all. */
export function portalPrograms(venues?: ReadonlySet<DexId>): string[] {
  return VENUES.filter(({ dex }) => venues?.has(dex) ?? true).map(({ program }) => program)
}

function openReader(
  options: PortalSourceOptions,
  {
    isLive,
    wrap = (fetch) => fetch,
  }: { isLive: boolean; wrap?: (fetch: FetchSlots) => FetchSlots },
): ChainReader {
  const { client, venues, links } = options
  const programs = portalPrograms(venues)
  const slots = createPortalSlots(client, { ...options, programs, hasNames: true })
  const fetch = completed(slots, { ...options, venues })
  return new ChainReader({ host: client.host, fetch: wrap(fetch), venues, links, isLive })
}

/** Slots of a range where few blocks are sent. */
const MARKET_RANGE_SLOTS = 20_000

/** Only the events of one market. That a slot was read does not prove that it is complete. */
export function portalMarketSource(
  options: Omit<PortalSourceOptions, 'links'> &
    ParallelOptions & { from: number; to: number; market: Market },
): ChainSource {
  const { client, venues, market } = options
  const programs = portalPrograms(venues)
  const wanted = { programs, mentions: market.accounts, hasNames: false }
  const slots = createPortalSlots(client, { ...options, ...wanted })
  const ranges = { rangeSlots: MARKET_RANGE_SLOTS, ...options }
  const fetch = inParallel(ofMarket(completed(slots, options), market), ranges)
  return rangeSource(new ChainReader({ host: client.host, fetch, venues }), client, options)
}

/** Reads neighbouring ranges of slots at once. */
export function portalRangeSource(
  options: PortalSourceOptions & ParallelOptions & { from: number; to: number },
): ChainSource {
  const reader = openReader(options, { isLive: false, wrap: (fetch) => inParallel(fetch, options) })
  return rangeSource(reader, options.client, options)
}

/** `from` is absent to begin with the newest slot; with `to` the source ends after that slot. */
export function portalSource(
  options: PortalSourceOptions & { from?: number; to?: number },
): ChainSource {
  const { client, isFinalized } = options
  const reader = openReader(options, { isLive: true })
  return followingSource(reader, client, options, (signal) => client.head(signal, isFinalized))
}
