/** A provider of whole ranges of blocks, as `backfill` and `source` read it: a node over JSON-RPC, or a portal. */
import type { BlockClient } from '../../chain/sources/blocks/block-client.ts'
import { slotOfTime } from '../../chain/sources/blocks/slot-of-time.ts'
import type { CarArchive } from '../../chain/sources/car/archive.ts'
import type { CarOptions } from '../../chain/sources/car.ts'
import type { PortalClient } from '../../chain/sources/portal/client.ts'
import type { Market } from '../../chain/sources/portal/market.ts'
import { type PortalSourceOptions, portalMarketSource } from '../../chain/sources/portal.ts'
import type { ChainSource } from '../../chain/sources/reader.ts'
import { CHAIN_SOURCES } from '../../chain/sources/table.ts'
import { venuesOfBits } from '../../domain/coverage.ts'
import type { ChainLink } from '../../streams/sources/source.ts'
import type { CoverageKey } from './coverage.ts'
import type { PortalReport } from './portal-report.ts'

/** Slots of a source, and venues as bits. */
type Range = {
  readonly from: number
  readonly to: number
  readonly venues: number
  readonly market?: Market | undefined
}
type Following = Omit<Range, 'to' | 'market'> & { readonly links?: readonly ChainLink[] }

/** A provider of ranges that are past. */
export type RangeProvider = {
  /** The name in messages. */
  readonly host: string
  readonly commitment: CoverageKey['commitment']
  readonly client: BlockClient | PortalClient | CarArchive
  /** Name in coverage of what `readRange` reads. */
  readonly rangeSource: string
  /** Counts what a portal did not have whole; absent for a node. */
  readonly report?: PortalReport
  /** Whether ranges are cheap to read only as a whole, from their first slot on. */
  readonly isOnePass?: true
  /** The newest slot that no fork can replace. */
  finalizedSlot(signal: AbortSignal): Promise<number>
  /** The first slot with a block at or after a time in Unix seconds. Throws UnknownTime. */
  slotAt(seconds: number, signal: AbortSignal): Promise<number>
  /** `market`: of a portal, only its events. */
  readRange(range: Range): ChainSource
}

export type BlockProvider = RangeProvider & {
  readonly client: BlockClient | PortalClient
  newestSlot(signal: AbortSignal): Promise<number>
  follow(options: Following): ChainSource
}

/** A time that is earlier or later than all blocks of a provider. */
export class UnknownTime extends Error {
  override name = 'UnknownTime'
}

const noBlockSoLate = (host: string, newest: number): UnknownTime =>
  new UnknownTime(`${host} has no block so late: its newest is that of slot ${newest}`)

async function slotAtOfNode(
  client: BlockClient,
  seconds: number,
  signal: AbortSignal,
): Promise<number> {
  const found = await slotOfTime(client, seconds, signal)
  if (found === undefined) throw noBlockSoLate(client.host, client.newestSlot)
  if (typeof found === 'number') return found
  const text = `${client.host} has no block so early: its first is that of slot ${found.before.first}`
  throw new UnknownTime(text)
}

export function nodeProvider(client: BlockClient): BlockProvider {
  return {
    host: client.host,
    commitment: client.commitment,
    client,
    rangeSource: 'backfill',
    newestSlot: (signal) => client.getSlot(signal),
    finalizedSlot: (signal) => client.getSlot(signal, 'finalized'),
    slotAt: (seconds, signal) => slotAtOfNode(client, seconds, signal),
    readRange: ({ venues, market: _, ...range }) =>
      CHAIN_SOURCES.backfill({ client, ...range, venues: new Set(venuesOfBits(venues)) }),
    follow: ({ venues, ...options }) =>
      CHAIN_SOURCES.rpc({ client, ...options, venues: new Set(venuesOfBits(venues)) }),
  }
}

type PortalProviderOptions = Pick<PortalSourceOptions, 'node' | 'verifyEvery'> & {
  client: PortalClient
  report: PortalReport
  commitment: CoverageKey['commitment']
  streams: number
}

export function portalProvider(options: PortalProviderOptions): BlockProvider {
  const { client, commitment, streams, report, node, verifyEvery } = options
  const isFinalized = commitment === 'finalized'
  const common = (venues: number): PortalSourceOptions => ({
    client,
    isFinalized,
    venues: new Set(venuesOfBits(venues)),
    ...{ node, verifyEvery, watch: report },
  })
  return {
    host: client.host,
    commitment,
    client,
    report,
    rangeSource: 'portal',
    newestSlot: (signal) => client.head(signal, isFinalized),
    finalizedSlot: (signal) => client.head(signal, true),
    async slotAt(seconds, signal) {
      const found = await client.slotAt(seconds, signal)
      // Also distinguishes a time without a block from a dataset that the portal does not have.
      if (found === undefined) throw noBlockSoLate(client.host, await client.head(signal))
      return found
    },
    readRange: ({ venues, market, ...range }) =>
      market === undefined
        ? CHAIN_SOURCES['portal-range']({ ...common(venues), ...range, streams })
        : portalMarketSource({ ...common(venues), ...range, streams, market, isFinalized: true }),
    follow: ({ venues, ...following }) => CHAIN_SOURCES.portal({ ...common(venues), ...following }),
  }
}

type CarProviderOptions = Omit<CarOptions, 'venues'> & {
  archive: CarArchive
  /** Knows the slots of times, which an archive does not. */
  node: BlockClient | undefined
}

/** An archive holds blocks that no fork can replace. */
export function carProvider({ archive, node, ...options }: CarProviderOptions): RangeProvider {
  const noTimes = async (): Promise<never> => {
    throw new UnknownTime('CAR files are found by slots: name slots, or a node with --rpc')
  }
  return {
    host: archive.host,
    commitment: 'finalized',
    client: archive,
    rangeSource: 'car',
    isOnePass: true,
    finalizedSlot: (signal) => node?.getSlot(signal, 'finalized') ?? noTimes(),
    slotAt: (seconds, signal) =>
      node === undefined ? noTimes() : slotAtOfNode(node, seconds, signal),
    readRange: ({ venues, from, to }) =>
      CHAIN_SOURCES['car-range']({
        ...options,
        archive,
        from,
        to,
        venues: new Set(venuesOfBits(venues)),
      }),
  }
}
