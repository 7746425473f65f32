/**
 * Encodes messages of FEED as answers of SwapStream (proto/swaptide/v1/swap_stream.proto), for one subscriber. Pure.
 *
 * Invariant: the swaps of all answers are the filtered log from the start on. The cursor of an answer is the position
 * after its last swap, within a message if necessary: a client that resumes from it misses and repeats nothing. A swap
 * is encoded once for all subscribers and cached in its message; an answer is its cursor followed by those bytes.
 * swap-frames.test.ts compares them with a general protobuf library.
 */
import { pricePerToken } from '../../../domain/amount.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { shownVenue, type VenueNaming } from '../../../domain/venue.ts'
import type { FeedEvent } from '../../../streams/codec/event-codec.ts'
import { WireWriter } from '../../../streams/codec/protobuf.ts'
import {
  RETRACTION,
  STREAMED_SWAP,
  SUBSCRIBE_RESPONSE,
  SWAP_BATCH,
} from '../../../streams/codec/tags.ts'
import {
  aheadAfter,
  type Cursor,
  isDoneAhead,
  writeCursor,
} from '../../../streams/feed/feed-cursor.ts'
import type { History } from '../../../streams/feed/table-history.ts'
import type { MatchSwap } from '../filter.ts'
import { presentGap } from '../gap.ts'
import type { FeedBatch } from '../log/batch.ts'

/** Bytes of swaps at which an answer is full. */
const FRAME_BYTES_MAX = 32 * 1024

const BASE_DECIMALS = 9

type FramesOptions = {
  /** Position to start after. */
  from: Cursor
  /** Events that the tables gave before FEED: not to be repeated. */
  history?: History | undefined
  matches: MatchSwap
  /** Maximum swaps per answer. */
  countMax: number
  /** Encodes an answer other than swaps. Absent: gaps are not reported. */
  encode?: (answer: object) => Buffer
  /** Absent: venues are `venue_<id>`. */
  naming?: VenueNaming | undefined
}

/** Mutable state of one subscriber. */
export class SwapFrames {
  private readonly options: FramesOptions
  /** Everything up to this cursor is in answers, in `held`, or did not match. */
  private done: Cursor
  /** Everything up to this cursor is in answers or did not match. */
  private reported: Cursor
  /** Number of swaps in answers so far. */
  private count = 0
  private held: Uint8Array[] = []
  private heldBytes = 0

  constructor(options: FramesOptions) {
    this.options = options
    this.done = options.from
    this.reported = options.from
  }

  /** Sequence of the next message to take. */
  get next(): number {
    return this.done.sequence + 1
  }

  /**
   * Position after everything that was sent or did not match, without the held swaps. Empty while no position in FEED
   * covers the swaps that the tables gave.
   */
  get cursor(): string {
    const { history } = this.options
    return this.reported.sequence < (history?.settledFrom ?? 0) ? '' : writeCursor(this.reported)
  }

  /** Takes the next message, or a page of the tables; yields each answer that became full. */
  *take(batch: FeedBatch): Generator<Buffer, void, undefined> {
    const { epoch, eventCount } = this.done
    const mark = this.done.ahead === undefined ? undefined : batch.mark
    const isPassed = mark !== undefined && isDoneAhead(this.done.ahead, mark)
    const wired = isPassed ? [] : wiredSwaps(batch, this.options.naming)
    const ahead = mark === undefined ? undefined : aheadAfter(this.done.ahead, mark)
    const isNext = batch.sequence === this.next
    const before = batch.sequence - 1
    const from = isNext ? eventCount : 0
    if (from === 0) yield* this.reportGap(batch)
    if (from === 0 && (isPassed || batch.filledCount === 0)) yield* this.reportFilled(batch)
    for (let index = from; index < wired.length; index++) {
      const wire = wired[index]
      const isWanted = wire !== undefined && this.isWanted(batch, wire, index)
      // A retraction is an answer of its own, after the swaps before it.
      if (isWanted && wire.isRetraction && this.held.length > 0) yield this.finish()
      if (isWanted && !wire.isRetraction) this.hold(wire.bytes)
      if (!batch.isStored) this.done = { epoch, sequence: before, eventCount: index + 1, ahead }
      if (isWanted && wire.isRetraction) yield this.reportRetraction(wire)
      if (this.isFull() && index + 1 < wired.length) yield this.finish()
      if (index + 1 === batch.filledCount) yield* this.reportFilled(batch)
    }
    if (!batch.isStored) this.done = { epoch, sequence: batch.sequence, eventCount: 0, ahead }
    if (this.held.length === 0) this.reported = this.done
    else if (this.isFull()) yield this.finish()
  }

  /** The held swaps as an answer; undefined if there are none. */
  flush(): Buffer | undefined {
    return this.held.length === 0 ? undefined : this.finish()
  }

  private hold(bytes: Uint8Array): void {
    this.held.push(bytes)
    this.heldBytes += bytes.length
  }

  private reportRetraction({ bytes }: WiredSwap): Buffer {
    this.reported = this.done
    writer.begin()
    writer.ascii(SUBSCRIBE_RESPONSE.cursor, this.cursor)
    writer.raw(bytes)
    return writer.finish()
  }

  private *reportGap({ gap }: FeedBatch): Generator<Buffer, void, undefined> {
    const { encode, from } = this.options
    if (gap === undefined || encode === undefined) return
    if (this.held.length > 0) yield this.finish()
    const { slots, ...gapFields } = presentGap(gap, from.epoch)
    const [first_slot, last_slot] = slots.map(String)
    yield encode({ cursor: this.cursor, gap: { ...gapFields, first_slot, last_slot } })
  }

  private *reportFilled({ gap }: FeedBatch): Generator<Buffer, void, undefined> {
    const { encode } = this.options
    if (gap === undefined || encode === undefined) return
    if (this.held.length > 0) yield this.finish()
    this.reported = this.done
    const notice = { code: 'CAUGHT_UP', message: 'sent all events that fill the gap' }
    yield encode({ cursor: this.cursor, notice })
  }

  private isWanted(batch: FeedBatch, { swap, walletTags }: WiredSwap, index: number): boolean {
    const { matches, history } = this.options
    if (!matches(swap, walletTags)) return false
    return history === undefined || batch.isStored || !history.has(swap.slot, batch.markOf(index))
  }

  private isFull(): boolean {
    return this.held.length >= this.options.countMax || this.heldBytes >= FRAME_BYTES_MAX
  }

  private finish(): Buffer {
    this.reported = this.done
    const frame = encodeFrame(this.cursor, this.count, this.held)
    this.count += this.held.length
    this.held = []
    this.heldBytes = 0
    return frame
  }
}

/** `bytes`: a field of a SwapBatch, or of the answer where it is a retraction. */
type WiredSwap = { swap: Swap; walletTags: number; bytes: Uint8Array; isRetraction: boolean }

const writer = new WireWriter(1 << 16)

function encodeFrame(cursor: string, before: number, swaps: readonly Uint8Array[]): Buffer {
  writer.begin()
  writer.ascii(SUBSCRIBE_RESPONSE.cursor, cursor)
  const mark = writer.open(SUBSCRIBE_RESPONSE.swaps)
  writer.integer(SWAP_BATCH.n, before)
  for (const bytes of swaps) writer.raw(bytes)
  writer.close(mark)
  return writer.finish()
}

/** Each event of the message as the bytes of a SwapBatch field; undefined for an event that is no swap. */
function wiredSwaps(
  batch: FeedBatch,
  naming: VenueNaming = 'ids',
): readonly (WiredSwap | undefined)[] {
  return batch.keep(`swap-stream ${naming}`, () =>
    batch.events.map((event) => wiredSwap(event, naming)),
  )
}

function wiredSwap(event: FeedEvent, naming: VenueNaming): WiredSwap | undefined {
  if (event.kind !== 'swap') return undefined
  const { swap, poolPrice, walletTags, isRetraction = false } = event
  writer.begin()
  const outer = isRetraction ? writer.open(SUBSCRIBE_RESPONSE.retraction) : undefined
  const mark = writer.open(isRetraction ? RETRACTION.swap : SWAP_BATCH.swaps)
  writeStreamedSwap(swap, poolPrice, naming)
  writer.close(mark)
  if (isRetraction && swap.blockhash !== undefined) {
    writer.ascii(RETRACTION.blockhash, swap.blockhash)
  }
  if (outer !== undefined) writer.close(outer)
  return { swap, walletTags, bytes: writer.finish(), isRetraction }
}

function writeStreamedSwap(swap: Swap, poolPrice: number, naming: VenueNaming): void {
  writer.ascii(STREAMED_SWAP.signature, swap.signature)
  writer.integer(STREAMED_SWAP.slot, swap.slot)
  writer.integer(STREAMED_SWAP.timestamp, swap.timestamp)
  writer.ascii(STREAMED_SWAP.tokenAddress, swap.tokenAddress)
  writer.ascii(STREAMED_SWAP.pairAddress, swap.pairAddress)
  writer.ascii(STREAMED_SWAP.user, swap.user)
  writer.ascii(STREAMED_SWAP.swapType, swap.isBuy ? 'buy' : 'sell')
  writer.ascii(STREAMED_SWAP.dex, shownVenue(swap.dex, naming))
  writer.integer(STREAMED_SWAP.solAmount, swap.solAmount)
  writer.integer(STREAMED_SWAP.tokenAmount, swap.tokenAmount)
  writer.integer(STREAMED_SWAP.fee, swap.fee)
  writer.integer(STREAMED_SWAP.feeBps, swap.feeBps)
  writer.integer(STREAMED_SWAP.creatorFee, swap.creatorFee)
  writer.integer(STREAMED_SWAP.creatorFeeBps, swap.creatorFeeBps)
  writer.integer(STREAMED_SWAP.quoteDecimals, swap.quoteDecimals)
  writer.integer(STREAMED_SWAP.virtualSolReserves, swap.virtualSolReserves)
  writer.integer(STREAMED_SWAP.virtualTokenReserves, swap.virtualTokenReserves)
  writer.integer(STREAMED_SWAP.realSolReserves, swap.realSolReserves)
  writer.integer(STREAMED_SWAP.realTokenReserves, swap.realTokenReserves)
  writer.integer(STREAMED_SWAP.transferFeeIn, swap.transferFeeIn)
  writer.integer(STREAMED_SWAP.transferFeeOut, swap.transferFeeOut)
  writer.integer(STREAMED_SWAP.cashback, swap.cashback)
  writer.integer(STREAMED_SWAP.cashbackBps, swap.cashbackBps)
  writer.integer(STREAMED_SWAP.blockTxIndex, swap.blockTxIndex)
  writer.integer(STREAMED_SWAP.ixIndex, swap.ixIndex)
  writer.integer(STREAMED_SWAP.timeSource, swap.timeSource)
  writer.integer(STREAMED_SWAP.agentTrade, swap.agentTrade)
  writer.double(STREAMED_SWAP.poolPrice, poolPrice)
  writer.double(STREAMED_SWAP.pricePerToken, pricePerToken(swap.solAmount, swap.tokenAmount))
  writer.integer(STREAMED_SWAP.baseDecimals, BASE_DECIMALS)
}
