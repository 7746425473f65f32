/**
 * Reads the slots of a provider in order, decodes them, and follows forks: every slot is yielded, or the source ends with a
 * retryable SourceError.
 *
 * The links of the newest blocks are remembered across a reopening. Where a block names another parent than the one that
 * was yielded, or a slot that was yielded as skipped, that slot is fetched again: if its block has changed, the chain has
 * forked, and the source continues after the newest block before it; if not, the answers contradict each other, which is
 * retryable. A provider may also report a fork itself.
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
  unskipped,
} from './batch.ts'
import { type Break, ChainLinks } from './blocks/chain-links.ts'
import { ForkFound } from './blocks/fork-found.ts'
import type { FetchSlots, SlotBlock } from './blocks/slot-block.ts'

/**
 * `counts`: everything that was decoded since the source was made; `newestSlot`: the highest slot at the commitment that the
 * provider has reported so far, 0 before the first.
 */
export type ChainSource = Source & {
  readonly counts: Readonly<ChainCounts>
  readonly newestSlot: number
}

/** A client of the provider. */
type Newest = { readonly newestSlot: number }

/** The slots of a range, both ends included, as a source that knows its end. */
export function rangeSource(
  reader: ChainReader,
  client: Newest,
  { from, to }: { from: number; to: number },
): ChainSource {
  const share = (slot: number): number => Math.min(1, (slot - from + 1) / (to - from + 1))
  return {
    isLive: false,
    counts: reader.counts,
    get newestSlot() {
      return client.newestSlot
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

/** Follows the chain from a slot on: absent, the newest one when it is opened. With `to` the source ends after that slot. */
export function followingSource(
  reader: ChainReader,
  client: Newest,
  { from, to = Number.MAX_SAFE_INTEGER }: { from?: number; to?: number },
  newestSlot: (signal: AbortSignal) => Promise<number>,
): ChainSource {
  return {
    isLive: true,
    counts: reader.counts,
    get newestSlot() {
      return client.newestSlot
    },
    open: (after, signal) =>
      reader.read(after, async () => from ?? (await newestSlot(signal)), to, signal),
  }
}

type ReaderOptions = {
  /** The provider, as errors call it. */
  host: string
  fetch: FetchSlots
  /** Absent: all. */
  venues?: ReadonlySet<DexId> | undefined
  /** The newest blocks before the first slot, as an earlier run read them: whether the chain left them meanwhile. */
  links?: readonly ChainLink[] | undefined
  /** Follows a chain whose slots come all: one that was skipped may have a block later, on another branch. */
  isLive?: boolean
}

export class ChainReader {
  readonly name: string
  readonly counts = noChainCounts()
  readonly #venues: ReadonlySet<DexId> | undefined
  readonly #fetch: FetchSlots
  readonly #links: ChainLinks
  readonly #isLive: boolean
  #newest: ChainTime | undefined
  /** Whether the slot of the newest block is a gap. */
  #isInGap = false

  constructor({ host, fetch, venues, links, isLive = false }: ReaderOptions) {
    this.name = `chain data from ${host}`
    this.#venues = venues
    this.#links = new ChainLinks(links)
    this.#fetch = fetch
    this.#isLive = isLive
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
      if (!signal.aborted) throw error
    }
  }

  async *#readFrom(start: Beginning, to: number, signal: AbortSignal): AsyncGenerator<SourceBatch> {
    let next: number | undefined = start.slot
    let yielded = start.events
    let inside: Beginning | undefined = start
    while (next !== undefined) {
      const from: number = next
      next = undefined
      for await (const slotBlock of this.#slots(from, to, signal)) {
        if (slotBlock instanceof ForkFound) {
          yield this.#retract(slotBlock)
          next = slotBlock.ancestor + 1
          yielded = 0
          break
        }
        const broken = this.#breakBefore(slotBlock)
        if (broken !== undefined) {
          yield await this.#fork(broken, slotBlock, signal)
          next = broken.from
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

  /** The slots of the provider; where it reports a fork, that is the last element. */
  async *#slots(
    from: number,
    to: number,
    signal: AbortSignal,
  ): AsyncGenerator<SlotBlock | ForkFound> {
    try {
      yield* this.#fetch(from, to, signal)
    } catch (error) {
      if (!(error instanceof ForkFound)) throw error
      yield error
    }
  }

  *#decode(slotBlock: SlotBlock, yielded: number): Generator<SourceBatch> {
    const decoded = decodeSlot(slotBlock, this.#venues)
    const batches = batchesOf(slotBlock, decoded, this.#newest, yielded)
    this.#newest = batches.at(-1)?.newest
    yield* batches.map((batch) => this.#withGap(batch, slotBlock))
    countSlot(this.counts, decoded, slotBlock)
    this.#links.add(slotBlock)
  }

  /** The whole slot is a gap. The first one of several in a row is reported, with its last batch. */
  #withGap(batch: SourceBatch, { slot, gapReason, link }: SlotBlock): SourceBatch {
    if (gapReason === undefined) {
      if (link !== undefined) this.#isInGap = false
      return batch
    }
    const gap = { from: slot, to: slot }
    if (batch.units === 0 || this.#isInGap) return { ...batch, gap }
    this.#isInGap = true
    const reasons = [{ field: 'slot', value: String(slot), reason: gapReason }]
    const notice = { kind: 'gap' as const, at: String(slot), reasons }
    return { ...batch, gap, notices: [...batch.notices, notice] }
  }

  #breakBefore(slotBlock: SlotBlock): Break | undefined {
    const broken = this.#links.breakBefore(slotBlock)
    return broken?.orphans.length === 0 && !this.#isLive ? undefined : broken
  }

  /** Retracts the blocks of a fork, with the cursor before them. Throws SourceError where the node contradicts itself. */
  async #fork(
    { orphans, from }: Break,
    { slot, link }: SlotBlock,
    signal: AbortSignal,
  ): Promise<SourceBatch> {
    const { parentSlot = slot - 1, parentBlockhash } = link ?? {}
    const [doubted = parentSlot] = orphans
    const known = this.#links.blockhashOf(doubted)
    let found: string | undefined
    for await (const { link: now } of this.#fetch(doubted, doubted, signal)) found = now?.blockhash
    if (found === known) {
      const has = known === undefined ? 'no block' : `block "${known}"`
      const text = `slot ${slot} names block "${parentBlockhash}" of slot ${parentSlot} as its parent, but slot ${doubted} has ${has}`
      throw new SourceError(`${this.name}: ${text}`, { isRetryable: true })
    }
    const cursor = String(from - 1)
    if (orphans.length > 0) {
      const batch = this.#retractSlots(orphans, `no longer part of the chain since slot ${slot}`)
      return { ...batch, cursor }
    }
    const notices = [unskipped(parentSlot)]
    return { events: [], cursor, units: 0, newest: this.#newest, notices }
  }

  /** The blocks after the ancestor that the provider names, with the cursor at it. */
  #retract({ ancestor }: ForkFound): SourceBatch {
    const slots = this.#links.slotsAfter(ancestor)
    const batch = this.#retractSlots(slots, `no longer part of the chain after slot ${ancestor}`)
    return { ...batch, cursor: String(ancestor) }
  }

  /** The cursor is set by the caller. */
  #retractSlots(slots: readonly number[], reason: string): Omit<SourceBatch, 'cursor'> {
    const [first = 0] = slots
    const left = slots.map((slot) => retracted(slot, this.#links.blockhashOf(slot)!, reason))
    this.#links.dropFrom(first)
    const events = left.map(({ event }) => event)
    countEvents(this.counts, events)
    const notices = left.map(({ notice }) => notice)
    return { events, units: 0, newest: this.#newest, notices }
  }
}
