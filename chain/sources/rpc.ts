/**
 * Blocks of a Solana node over JSON-RPC as a source: `backfill` reads a range of slots, `rpc` follows the chain.
 *
 * Both yield every slot or end with a retryable SourceError: no slot is passed over.
 */
import type { DexId } from '../../domain/venue.ts'
import { type ChainLink, SourceError } from '../../streams/sources/source.ts'
import { type BlockClient, RpcUnavailable } from './blocks/block-client.ts'
import { createFetchSlots, type FetchOptions } from './blocks/fetch-slots.ts'
import type { FetchSlots } from './blocks/slot-block.ts'
import { ChainReader, type ChainSource, followingSource, rangeSource } from './reader.ts'

/** Options of both sources. */
export type RpcOptions = FetchOptions & {
  client: BlockClient
  /** Absent: all. */
  venues?: ReadonlySet<DexId>
  /** The newest blocks before the first slot, as an earlier run read them: whether the chain left them meanwhile. */
  links?: readonly ChainLink[]
}

/** Throws the errors of a client as SourceErrors. */
export function fetchSlotsBy(client: BlockClient, options: FetchOptions = {}): FetchSlots {
  const fetchSlots = createFetchSlots(client, options)
  return async function* fetch(from, to, signal) {
    try {
      yield* fetchSlots(from, to, signal)
    } catch (error) {
      throw sourceError(error)
    }
  }
}

/** The error of a client as a SourceError; any other unchanged. */
function sourceError(error: unknown): unknown {
  if (!(error instanceof RpcUnavailable)) return error
  return new SourceError(error.message, { isRetryable: error.isRetryable })
}

function openReader(options: RpcOptions, isLive: boolean): ChainReader {
  const { client, venues, links } = options
  const fetch = fetchSlotsBy(client, options)
  return new ChainReader({ host: client.host, fetch, venues, links, isLive })
}

export function backfillSource(options: RpcOptions & { from: number; to: number }): ChainSource {
  return rangeSource(openReader(options, false), options.client, options)
}

/** `from` is absent to begin with the newest slot; with `to` the source ends after that slot. */
export function rpcSource(options: RpcOptions & { from?: number; to?: number }): ChainSource {
  const { client } = options
  const newestSlot = (signal: AbortSignal): Promise<number> =>
    client.getSlot(signal).catch((error: unknown) => {
      throw sourceError(error)
    })
  return followingSource(openReader(options, true), client, options, newestSlot)
}
