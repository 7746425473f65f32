/**
 * A Yellowstone (Geyser) gRPC stream as a source: live, from the slot after its cursor on.
 *
 *   subscribe -> assembler -> slot: decode, yield          (what the stream proves complete)
 *                          -> fetch: FetchSlots, yield     (all before the first live slot, and whatever is missing)
 *
 * It fails closed: a slot that is neither complete nor fetched holds the cursor. Without a way to fetch, such a slot ends
 * the source, unless gaps are accepted: then it is passed over and reported. Where the stream breaks, complete slots are
 * still yielded, and the error is retryable: reopened, the source continues after its cursor.
 */
import { countEvents } from '../../domain/events/event.ts'
import { type DexId, VENUES } from '../../domain/venue.ts'
import { WireError } from '../../streams/codec/protobuf.ts'
import {
  type ChainLink,
  type ChainTime,
  type Cursor,
  type SourceBatch,
  SourceError,
} from '../../streams/sources/source.ts'
import type { Decoded } from '../decode.ts'
import {
  type Beginning,
  batchesOf,
  countSlot,
  decodeSlot,
  noChainCounts,
  readChainCursor,
  replacedInside,
  resumeAfter,
  retracted,
  unskipped,
} from './batch.ts'
import type { Commitment } from './blocks/block-answer.ts'
import { ChainLinks } from './blocks/chain-links.ts'
import type { FetchSlots, SlotBlock } from './blocks/slot-block.ts'
import { type Assembled, BlockAssembler } from './geyser/assembler.ts'
import {
  GEYSER_TIMES,
  type GeyserEndpoint,
  GeyserSubscription,
  type GeyserTimes,
} from './geyser/subscription.ts'
import type { ChainSource } from './reader.ts'

export type GeyserOptions = {
  /** http:// or https:// with host and port; no error repeats more of it than these. */
  endpoint: string
  /** Credential that the provider expects as metadata `x-token`. */
  token?: string | undefined
  /** PEM of the authority of the server's certificate; absent: those of the system. */
  certificateAuthority?: string | undefined
  /** Absent: confirmed. */
  commitment?: Commitment
  /** Absent: all. */
  venues?: ReadonlySet<DexId>
  /** Absent: slots that the stream does not prove complete cannot be had. */
  fetchSlots?: FetchSlots | undefined
  /** Passes over slots that cannot be had, and reports them. */
  acceptsGaps?: boolean
  /** First slot where there is no cursor; absent: the first that the stream brings whole. */
  from?: number | undefined
  /** Ends after this slot; absent: never. */
  to?: number
  /** The newest blocks before `from`, as an earlier run read them: whether the chain left them meanwhile. */
  links?: readonly ChainLink[]
  /** Called before slots are fetched. */
  onFetch?: (from: number, to: number) => void
  times?: Partial<GeyserTimes>
  /** Memory of the slots that wait, in bytes. */
  bytesMax?: number
}

export function geyserSource(options: GeyserOptions): ChainSource {
  const reader = new GeyserReader(options)
  return {
    isLive: true,
    counts: reader.counts,
    get newestSlot() {
      return reader.newestSlot
    },
    async *open(after, signal) {
      try {
        for await (const batch of reader.read(after, signal)) {
          yield batch
          if (signal.aborted) return
        }
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
  }
}

class GeyserReader {
  readonly counts = noChainCounts()
  #assembler: BlockAssembler | undefined
  #newestBefore = 0
  readonly #options: GeyserOptions
  readonly #endpoint: GeyserEndpoint
  readonly #times: GeyserTimes
  readonly #programs: readonly string[]
  #links = new ChainLinks()
  /** Last slot that was yielded: the links end there. */
  #done: number | undefined
  #newest: ChainTime | undefined
  /** Events of the next slot that were yielded before. */
  #yielded = 0
  /** The slot of which a part was yielded before, until it is yielded. */
  #inside: Beginning | undefined

  constructor(options: GeyserOptions) {
    const url = new URL(options.endpoint)
    const { token, certificateAuthority, venues, times } = options
    this.#options = options
    if (options.links !== undefined && options.from !== undefined) {
      this.#links = new ChainLinks(options.links)
      this.#done = options.from - 1
    }
    this.#endpoint = { url, name: `Yellowstone stream of ${url.host}`, token, certificateAuthority }
    this.#times = { ...GEYSER_TIMES, ...times }
    // A block becomes final some 13 s after it is confirmed.
    if (options.commitment === 'finalized') this.#times.stalledMs *= 2
    this.#programs = VENUES.filter(({ dex }) => venues?.has(dex) !== false).map(
      ({ program }) => program,
    )
  }

  get newestSlot(): number {
    return Math.max(this.#newestBefore, this.#assembler?.newestSlot ?? 0)
  }

  async *read(after: Cursor | undefined, signal: AbortSignal): AsyncGenerator<SourceBatch> {
    const { from } = this.#options
    const beginning = from === undefined ? undefined : { slot: from, events: 0 }
    const start =
      after === undefined ? beginning : resumeAfter(readChainCursor(after, this.#endpoint.name))
    this.#yielded = start?.events ?? 0
    this.#inside = start
    const done = start === undefined ? undefined : start.slot - 1
    if (done === undefined || done > (this.#done ?? -1)) this.#links = new ChainLinks()
    this.#done = done
    let fromSlot = start?.slot
    for (;;) {
      const end = yield* this.#subscribe(fromSlot, signal)
      if (end === 'ended') return
      // Servers replay a few minutes at most, or nothing.
      fromSlot = undefined
    }
  }

  /** Reads one subscription, with slots replayed where the server does that. */
  async *#subscribe(
    fromSlot: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<SourceBatch, 'ended' | 'refused_replay'> {
    const { commitment = 'confirmed', bytesMax, to = Number.POSITIVE_INFINITY } = this.#options
    const assembler = new BlockAssembler({
      commitment,
      after: this.#done,
      links: this.#links,
      ...(bytesMax === undefined ? {} : { bytesMax }),
    })
    this.#newestBefore = this.newestSlot
    this.#assembler = assembler
    const subscription = new GeyserSubscription(this.#endpoint, this.#times, assembler, {
      commitment,
      programs: this.#programs,
      ...(fromSlot === undefined ? {} : { fromSlot }),
    })
    try {
      while (!signal.aborted && (this.#done ?? -1) < to) {
        const next = assembler.next()
        if (next !== undefined) {
          yield* this.#handle(next, assembler, subscription, signal)
          subscription.relieve()
        } else if (subscription.error === undefined) await subscription.more(signal)
        else if (fromSlot !== undefined && subscription.hasRefusedReplay) return 'refused_replay'
        else throw subscription.toSourceError(subscription.error)
      }
      return 'ended'
    } finally {
      subscription.close()
    }
  }

  async *#handle(
    next: Assembled,
    assembler: BlockAssembler,
    subscription: GeyserSubscription,
    signal: AbortSignal,
  ): AsyncGenerator<SourceBatch> {
    switch (next.kind) {
      case 'slot':
        yield* this.#yieldLive(next.slotBlock, signal)
        break
      case 'fetch':
        subscription.setFetching(true)
        yield* this.#fetch(next.from, next.to, assembler, signal)
        subscription.setFetching(false)
        break
      case 'fork':
        yield this.#takeBack(next.slot, next.blockhash, assembler.done ?? next.slot - 1)
        break
      case 'unskipped':
        this.#yielded = 0
        this.#done = assembler.done
        yield this.#notice(assembler.done ?? next.slot - 1, unskipped(next.slot))
        break
      case 'contradiction': {
        const text = `slot ${next.slot} was skipped, and is the parent of slot ${next.child}`
        throw new SourceError(`${this.#endpoint.name}: ${text}`, { isRetryable: true })
      }
      default:
        next satisfies never
    }
  }

  /** A slot of the stream; one whose bytes are broken, or which lacks a part of a result, is fetched. */
  async *#yieldLive(slotBlock: SlotBlock, signal: AbortSignal): AsyncGenerator<SourceBatch> {
    const { slot } = slotBlock
    let decoded: Decoded | undefined
    let isUsable = true
    try {
      decoded = decodeSlot(slotBlock, this.#options.venues)
      isUsable = decoded === undefined || decoded.incomplete.length === 0
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      isUsable = false
    }
    if (isUsable) yield* this.#batchesOf(slotBlock, decoded)
    else if (this.#options.fetchSlots === undefined) yield this.#passOver(slot, slot)
    else {
      this.#options.onFetch?.(slot, slot)
      for await (const fetched of this.#options.fetchSlots(slot, slot, signal)) {
        yield* this.#batchesOf(fetched, decodeSlot(fetched, this.#options.venues))
      }
    }
  }

  async *#fetch(
    from: number,
    to: number,
    assembler: BlockAssembler,
    signal: AbortSignal,
  ): AsyncGenerator<SourceBatch> {
    const { fetchSlots, onFetch } = this.#options
    if (fetchSlots === undefined) {
      const batch = this.#passOver(from, to)
      assembler.skipTo(to)
      yield batch
      return
    }
    onFetch?.(from, to)
    for await (const slotBlock of fetchSlots(from, to, signal)) {
      if (!assembler.accept(slotBlock)) return
      yield* this.#batchesOf(slotBlock, decodeSlot(slotBlock, this.#options.venues))
      if (signal.aborted) return
    }
  }

  #batchesOf(slotBlock: SlotBlock, decoded: Decoded | undefined): SourceBatch[] {
    const replaced =
      slotBlock.slot === this.#inside?.slot
        ? replacedInside(this.#inside, slotBlock, this.#newest)
        : undefined
    if (replaced !== undefined) {
      this.#yielded = 0
      countEvents(this.counts, replaced.events)
    }
    if (slotBlock.slot >= (this.#inside?.slot ?? 0)) this.#inside = undefined
    const batches = batchesOf(slotBlock, decoded, this.#newest, this.#yielded)
    if (replaced !== undefined) batches.unshift(replaced)
    this.#newest = batches.at(-1)?.newest
    this.#yielded = 0
    this.#done = slotBlock.slot
    countSlot(this.counts, decoded)
    return batches
  }

  #takeBack(slot: number, blockhash: string, done: number): SourceBatch {
    this.#yielded = 0
    this.#done = done
    const { event, notice } = retracted(slot, blockhash, 'no longer part of the chain')
    countEvents(this.counts, [event])
    return { ...this.#notice(done, notice), events: [event] }
  }

  /** Slots that cannot be had. Throws where gaps are not accepted. */
  #passOver(from: number, to: number): SourceBatch {
    const { name } = this.#endpoint
    const text = `slots ${from} to ${to} did not come whole`
    if (this.#options.acceptsGaps !== true) {
      const advice = 'name an RPC endpoint to fetch them, or accept gaps'
      throw new SourceError(`${name}: ${text}: ${advice}`, { isRetryable: false })
    }
    this.#yielded = 0
    this.#done = to
    const reasons = [{ field: 'slots', value: String(to - from + 1), reason: 'did not come whole' }]
    const batch = this.#notice(to, { kind: 'gap', at: `${from} to ${to}`, reasons })
    return { ...batch, gap: { from, to } }
  }

  #notice(slot: number, notice: SourceBatch['notices'][number]): SourceBatch {
    const cursor = String(slot)
    return { events: [], cursor, units: 0, newest: this.#newest, notices: [notice] }
  }
}
