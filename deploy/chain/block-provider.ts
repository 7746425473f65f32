/** A provider of whole ranges of blocks, as `backfill` and `source` read it: a node over JSON-RPC, or a portal. */
import type { BlockClient } from '../../chain/sources/blocks/block-client.ts'
import type { PortalClient } from '../../chain/sources/portal/client.ts'
import type { PortalSourceOptions } from '../../chain/sources/portal.ts'
import type { ChainSource } from '../../chain/sources/reader.ts'
import { CHAIN_SOURCES } from '../../chain/sources/table.ts'
import { venuesOfBits } from '../../domain/coverage.ts'
import type { ChainLink } from '../../streams/sources/source.ts'
import type { CoverageKey } from './coverage.ts'

/** Slots of a source, and venues as bits. */
type Range = { readonly from: number; readonly to: number; readonly venues: number }
type Following = Omit<Range, 'to'> & { readonly links?: readonly ChainLink[] }

export type BlockProvider = {
  /** As messages name it. */
  readonly host: string
  readonly commitment: CoverageKey['commitment']
  readonly client: BlockClient | PortalClient
  /** Names in coverage of what `readRange` and `follow` read. */
  readonly rangeSource: string
  readonly followSource: string
  newestSlot(signal: AbortSignal): Promise<number>
  readRange(range: Range): ChainSource
  follow(options: Following): ChainSource
}

export function nodeProvider(client: BlockClient): BlockProvider {
  return {
    host: client.host,
    commitment: client.commitment,
    client,
    rangeSource: 'backfill',
    followSource: 'rpc',
    newestSlot: (signal) => client.getSlot(signal),
    readRange: ({ venues, ...range }) =>
      CHAIN_SOURCES.backfill({ client, ...range, venues: new Set(venuesOfBits(venues)) }),
    follow: ({ venues, ...options }) =>
      CHAIN_SOURCES.rpc({ client, ...options, venues: new Set(venuesOfBits(venues)) }),
  }
}

type PortalProviderOptions = Pick<PortalSourceOptions, 'onDroppedLogs'> & {
  client: PortalClient
  commitment: CoverageKey['commitment']
  streams: number
}

export function portalProvider(options: PortalProviderOptions): BlockProvider {
  const { client, commitment, streams, onDroppedLogs } = options
  const isFinalized = commitment === 'finalized'
  const common = (venues: number): PortalSourceOptions => ({
    client,
    isFinalized,
    venues: new Set(venuesOfBits(venues)),
    ...(onDroppedLogs === undefined ? {} : { onDroppedLogs }),
  })
  return {
    host: client.host,
    commitment,
    client,
    rangeSource: 'portal',
    followSource: 'portal',
    newestSlot: (signal) => client.head(signal, isFinalized),
    readRange: ({ venues, ...range }) =>
      CHAIN_SOURCES['portal-range']({ ...common(venues), ...range, streams }),
    follow: ({ venues, ...following }) => CHAIN_SOURCES.portal({ ...common(venues), ...following }),
  }
}
