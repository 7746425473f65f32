/**
 * Blocks of a Solana node over JSON-RPC as a source: `backfill` reads a range of slots, `rpc` follows the chain.
 *
 * Both yield every slot or end with a retryable SourceError: no slot is passed over. The links of the newest blocks are
 * remembered across a reopening. Where a block names another parent than the one that was yielded, that slot is fetched
 * again: if its block has changed, the chain has forked, and the source continues from there; if not, the answers of the
 * node contradict each other, which is retryable.
 */
import { countEvents } from '../../domain/events/event.ts'
import type { DexId } from '../../domain/venue.ts'
import {
  type ChainLink,
  type ChainTime,
  type Cursor,
  type Source,
  type SourceBatch,
  SourceError,
} from '../../streams/sources/source.ts'
import {
  type Beginning,
  batchesOf,
  type ChainCounts,
  countSlot,
  decodeSlot,
  noChainCounts,
  readChainCursor,
  replacedInside,
  resumeAfter,
  retracted,
} from './batch.ts'
import { type BlockClient, RpcUnavailable } from './blocks/block-client.ts'
import { ChainLinks } from './blocks/chain-links.ts'
import { createFetchSlots, type FetchOptions } from './blocks/fetch-slots.ts'
import type { FetchSlots, SlotBlock } from './blocks/slot-block.ts'

/** Options of both sources. */
export type RpcOptions = FetchOptions & {
  client: BlockClient
  /** Absent: all. */
  venues?: ReadonlySet<DexId>
  /** The newest blocks before the first slot, as an earlier run read them: whether the chain left them meanwhile. */
  links?: readonly ChainLink[]
}

/**
 * `counts`: everything that was decoded since the source was made; `newestSlot`: the highest slot at the commitment that the
 * provider has reported so far, 0 before the first.
 */
export type ChainSource = Source & {
  readonly counts: Readonly<ChainCounts>
  readonly newestSlot: number
}

/** Throws the errors of a client as SourceErrors. */
export function fetchSlotsBy(client: BlockClient, options: FetchOptions = {}): FetchSlots {
  const fetchSlots = createFetchSlots(client, options)
  return async function* fetch(from, to, signal) {
    try {
      yield* fetchSlots(from, to, signal)
    } catch (error) {
      if (!(error instanceof RpcUnavailable)) throw error
      throw sourceError(error)
    }
  }
}

const sourceError = ({ message, isRetryable }: RpcUnavailable): SourceError =>
  new SourceError(message, { isRetryable })

export function backfillSource(options: RpcOptions & { from: number; to: number }): ChainSource {
  const { from, to } = options
  const reader = new ChainReader(options)
  const share = (slot: number): number => Math.min(1, (slot - from + 1) / (to - from + 1))
  return {
    isLive: false,
    counts: reader.counts,
    get newestSlot() {
      return options.client.newestSlot
    },
    async *open(after, signal) {
      for await (const batch of reader.read(after, async () => from, to, signal)) {
        const { slot, events } = readChainCursor(batch.cursor, reader.name)
        yield { ...batch, share: share(events === undefined ? slot : slot - 1) }
        if (signal.aborted) return
      }
    },
  }
}

/** `from` is absent to begin with the newest slot; with `to` the source ends after that slot. */
export function rpcSource(options: RpcOptions & { from?: number; to?: number }): ChainSource {
  const { client, from, to = Number.MAX_SAFE_INTEGER } = options
  const reader = new ChainReader(options)
  return {
    isLive: true,
    counts: reader.counts,
    get newestSlot() {
      return client.newestSlot
    },
    open: (after, signal) =>
      reader.read(after, async () => from ?? (await client.getSlot(signal)), to, signal),
  }
}

class ChainReader {
  readonly name: string
  readonly counts = noChainCounts()
  readonly #venues: ReadonlySet<DexId> | undefined
  readonly #fetch: FetchSlots
  readonly #links: ChainLinks
  #newest: ChainTime | undefined

  constructor(options: RpcOptions) {
    this.name = `chain data from ${options.client.host}`
    this.#venues = options.venues
    this.#links = new ChainLinks(options.links)
    this.#fetch = fetchSlotsBy(options.client, options)
  }

  async *read(
    after: Cursor | undefined,
    firstSlot: () => Promise<number>,
    to: number,
    signal: AbortSignal,
  ): AsyncGenerator<SourceBatch> {
    try {
      const start =
        after === undefined
          ? { slot: await firstSlot(), events: 0 }
          : resumeAfter(readChainCursor(after, this.name))
      for await (const batch of this.#readFrom(start, to, signal)) {
        yield batch
        if (signal.aborted) return
      }
    } catch (error) {
      if (signal.aborted) return
      throw error instanceof RpcUnavailable ? sourceError(error) : error
    }
  }

  async *#readFrom(start: Beginning, to: number, signal: AbortSignal): AsyncGenerator<SourceBatch> {
    let next: number | undefined = start.slot
    let yielded = start.events
    let inside: Beginning | undefined = start
    while (next !== undefined) {
      const from: number = next
      next = undefined
      for await (const slotBlock of this.#fetch(from, to, signal)) {
        const contradicted = this.#links.contradictedBy(slotBlock)
        if (contradicted[0] !== undefined) {
          yield await this.#fork(contradicted, slotBlock, signal)
          next = contradicted[0]
          yielded = 0
          break
        }
        if (slotBlock.slot === inside?.slot) {
          const replaced = replacedInside(inside, slotBlock, this.#newest)
          inside = undefined
          if (replaced !== undefined) {
            countEvents(this.counts, replaced.events)
            yield replaced
            yielded = 0
          }
        }
        yield* this.#decode(slotBlock, yielded)
        yielded = 0
      }
    }
  }

  *#decode(slotBlock: SlotBlock, yielded: number): Generator<SourceBatch> {
    const decoded = decodeSlot(slotBlock, this.#venues)
    const batches = batchesOf(slotBlock, decoded, this.#newest, yielded)
    this.#newest = batches.at(-1)?.newest
    yield* batches
    countSlot(this.counts, decoded)
    this.#links.add(slotBlock)
  }

  /** Retracts the blocks of a fork, with the cursor before them. Throws SourceError where the node contradicts itself. */
  async #fork(
    slots: readonly number[],
    successor: SlotBlock,
    signal: AbortSignal,
  ): Promise<SourceBatch> {
    const [first = successor.slot] = slots
    const known = this.#links.blockhashOf(first)
    let found: string | undefined
    for await (const { link } of this.#fetch(first, first, signal)) found = link?.blockhash
    if (found === known) {
      const { parentSlot, parentBlockhash } = successor.link ?? {}
      const parent = `block "${parentBlockhash}" of slot ${parentSlot}`
      const text = `slot ${successor.slot} names ${parent} as its parent, but slot ${first} has block "${known}"`
      throw new SourceError(`${this.name}: ${text}`, { isRetryable: true })
    }
    const reason = `no longer part of the chain since slot ${successor.slot}`
    const left = slots.map((slot) => retracted(slot, this.#links.blockhashOf(slot)!, reason))
    this.#links.dropFrom(first)
    const events = left.map(({ event }) => event)
    countEvents(this.counts, events)
    const notices = left.map(({ notice }) => notice)
    return { events, cursor: String(first - 1), units: 0, newest: this.#newest, notices }
  }
}
