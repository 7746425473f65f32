/**
 * Events to and from the bytes of SWAP and FEED (proto/swaptide/v1/event.proto).
 *
 * A decoded event retains its bytes: a message of FEED is those bytes followed by the computed fields (in protobuf the
 * later value of a field wins), so no event is encoded twice.
 */
import type { Int64 } from '../../domain/amount.ts'
import type { Event } from '../../domain/events/event.ts'
import type { PoolEvent } from '../../domain/events/pool-event.ts'
import type { Swap } from '../../domain/events/swap.ts'
import { WireError, WireReader, WireWriter } from './protobuf.ts'
import {
  readPoolEvent,
  readRetraction,
  readToken,
  writePoolEvent,
  writeRetraction,
  writeToken,
} from './rare-event-codec.ts'
import { decodeRetracted, type Retracted } from './retraction-codec.ts'
import { readSwap, writeSwap } from './swap-codec.ts'
import { EVENT_BATCH, FEED_BATCH, SWAP } from './tags.ts'

/** No event that we write is longer, by far. */
const EVENT_BYTES_MAX = 1_024

/** An event with the bytes that it came as (without tag and length). */
export type WireEvent = Event & { bytes: Uint8Array }

/** An event as a pool lane publishes it, with the computed fields of a swap; or takes it back. */
export type FeedEvent = (FeedSwap | { kind: 'pool_event'; poolEvent: PoolEvent }) & {
  bytes: Uint8Array | undefined
  isRetraction?: true
}

type FeedSwap = { kind: 'swap'; swap: Swap; poolPrice: number } & Stamped

/** Fields of a swap that only FEED carries. */
type Stamped = {
  priceImpactBps: Int64 | null
  /** The tags of its wallet when it was published, as bits (tagBits). */
  walletTags: number
}

export function slotOf(event: FeedEvent): number {
  return event.kind === 'swap' ? event.swap.slot : event.poolEvent.slot
}

export type FeedMark = { poolLane: number; commitNumber: number; part: number }

const writer = new WireWriter(1 << 18)

/** The payload of a SWAP message. The same events make the same bytes. */
export function encodeEventBatch(events: readonly Event[]): Buffer {
  writer.begin()
  for (const event of events) {
    switch (event.kind) {
      case 'swap': {
        const mark = writer.open(EVENT_BATCH.swap)
        writeSwap(writer, event.swap)
        writer.close(mark)
        break
      }
      case 'pool_event': {
        const mark = writer.open(EVENT_BATCH.poolEvent)
        writePoolEvent(writer, event.poolEvent)
        writer.close(mark)
        break
      }
      case 'token': {
        const mark = writer.open(EVENT_BATCH.token)
        writeToken(writer, event.token)
        writer.close(mark)
        break
      }
      case 'retract': {
        const mark = writer.open(EVENT_BATCH.retraction)
        writeRetraction(writer, event.retraction)
        writer.close(mark)
        break
      }
      default:
        event satisfies never
    }
  }
  return writer.finish()
}

const TAGS: Readonly<Record<Event['kind'], number>> = {
  swap: EVENT_BATCH.swap,
  pool_event: EVENT_BATCH.poolEvent,
  token: EVENT_BATCH.token,
  retract: EVENT_BATCH.retraction,
}

const EVENT_TAGS: ReadonlySet<number> = new Set(Object.values(TAGS))

/** A SWAP message of one event exactly as it came. */
export function encodeAsItCame(event: WireEvent): Buffer {
  writer.begin()
  const mark = writer.open(TAGS[event.kind])
  writer.raw(event.bytes)
  writer.close(mark)
  return writer.finish()
}

/** An event with the bytes that a producer would have written for it. */
export function wireEventOf<Made extends Event>(event: Made): Made & { bytes: Uint8Array } {
  const [encoded] = decodeEventBatch(encodeEventBatch([event]))
  if (encoded === undefined) throw new Error(`an event of kind "${event.kind}" has no bytes`)
  return { ...event, bytes: encoded.bytes }
}

/** The events of a SWAP message, in its order. Throws WireError. */
export function decodeEventBatch(payload: Uint8Array): WireEvent[] {
  const reader = new WireReader(payload)
  const events: WireEvent[] = []
  while (reader.at < payload.length) {
    const tag = reader.tag()
    if (!EVENT_TAGS.has(tag)) {
      reader.skip(tag & 7)
      continue
    }
    reader.end = reader.lengthEnd()
    const bytes = payload.subarray(reader.at, reader.end)
    events.push({ ...readEvent(reader, tag), bytes })
    reader.end = payload.length
  }
  return events
}

/** The event up to the reader's end. */
function readEvent(reader: WireReader, tag: number): Event {
  if (tag === EVENT_BATCH.swap) return { kind: 'swap', swap: readSwap(reader) }
  if (tag === EVENT_BATCH.poolEvent) return { kind: 'pool_event', poolEvent: readPoolEvent(reader) }
  if (tag === EVENT_BATCH.token) return { kind: 'token', token: readToken(reader) }
  return { kind: 'retract', retraction: readRetraction(reader) }
}

/** The payload of a FEED message. */
export function encodeFeedBatch(mark: FeedMark, events: readonly FeedEvent[]): Buffer {
  writer.begin()
  for (const event of events) {
    const nested = writer.open(event.kind === 'swap' ? FEED_BATCH.swap : FEED_BATCH.poolEvent)
    writeAsItCame(event)
    if (event.kind === 'swap') {
      writer.double(SWAP.poolPrice, event.poolPrice)
      if (event.priceImpactBps !== null) writer.signed(SWAP.priceImpactBps, event.priceImpactBps)
      // Written even for the default value: the producer's bytes may hold an invented one.
      writer.optionalInteger(SWAP.walletTags, event.walletTags)
    }
    writer.close(nested)
  }
  writer.integer(FEED_BATCH.poolLane, mark.poolLane)
  writer.integer(FEED_BATCH.commitNumber, mark.commitNumber)
  writer.integer(FEED_BATCH.part, mark.part)
  return writer.finish()
}

/**
 * The event's bytes as received; encoded again where they are not in memory, or hold more than the contract admits:
 * unknown fields that make a message of FEED too large, or a price impact that the producer invented.
 */
function writeAsItCame(event: FeedEvent): void {
  const bytes = event.bytes
  const isPlain = bytes !== undefined && bytes.length <= EVENT_BYTES_MAX
  if (event.kind === 'pool_event') {
    if (isPlain) writer.raw(bytes)
    else writePoolEvent(writer, event.poolEvent)
  } else if (
    isPlain &&
    (event.priceImpactBps !== null || readStamped(bytes).priceImpactBps === null)
  ) {
    writer.raw(bytes)
  } else writeSwap(writer, event.swap)
}

/** The commit, and its pool lane, that a FEED message publishes. Throws WireError. */
export function decodeFeedMark(payload: Uint8Array): FeedMark {
  const reader = new WireReader(payload)
  const mark: FeedMark = { poolLane: 0, commitNumber: 0, part: 0 }
  while (reader.at < payload.length) {
    const tag = reader.tag()
    switch (tag) {
      case FEED_BATCH.poolLane:
        mark.poolLane = reader.safe()
        break
      case FEED_BATCH.commitNumber:
        mark.commitNumber = reader.safe()
        break
      case FEED_BATCH.part:
        mark.part = reader.safe()
        break
      default:
        reader.skip(tag & 7)
    }
  }
  return mark
}

/** How many swaps a FEED message publishes, without decoding them; those up to where it cannot be read. */
export function countFeedSwaps(payload: Uint8Array): number {
  const reader = new WireReader(payload)
  let count = 0
  try {
    while (reader.at < payload.length) {
      const tag = reader.tag()
      reader.skip(tag & 7)
      if (tag === FEED_BATCH.swap) count++
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
  }
  return count
}

/** The events of a FEED message, or those that it takes back: a swap with its computed fields. Throws WireError. */
export function decodeFeedBatch(payload: Uint8Array): FeedEvent[] {
  const retracted = decodeRetracted(payload)
  if (retracted !== undefined) return [...retractionsOf(retracted)]
  const events: FeedEvent[] = []
  for (const event of decodeEventBatch(payload)) {
    if (event.kind === 'pool_event') events.push(event)
    else if (event.kind === 'swap') {
      const { swap, bytes } = event
      events.push({
        kind: 'swap',
        swap,
        bytes,
        poolPrice: swap.poolPrice ?? 0,
        ...readStamped(bytes),
      })
    }
  }
  return events
}

function* retractionsOf({ swaps, poolEvents }: Retracted): Generator<FeedEvent> {
  const taken = { bytes: undefined, isRetraction: true } as const
  for (const poolEvent of poolEvents) yield { kind: 'pool_event', poolEvent, ...taken }
  for (const swap of swaps) yield { kind: 'swap', ...swap, ...taken }
}

function readStamped(bytes: Uint8Array): Stamped {
  const reader = new WireReader(bytes)
  const stamped: Stamped = { priceImpactBps: null, walletTags: 0 }
  while (reader.at < bytes.length) {
    const tag = reader.tag()
    if (tag === SWAP.priceImpactBps) stamped.priceImpactBps = reader.sint64()
    else if (tag === SWAP.walletTags) stamped.walletTags = Number(reader.uint64())
    else reader.skip(tag & 7)
  }
  return stamped
}
