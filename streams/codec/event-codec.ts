/**
 * Events to and from the bytes of SWAP and FEED (proto/swaptide/v1/event.proto).
 *
 * A decoded event keeps its own bytes: what is announced in FEED is those bytes with the computed
 * fields behind them (in protobuf the later value of a field stands), so nothing is encoded twice.
 */
import type { Int64 } from '../../domain/amount.ts'
import type { Event } from '../../domain/events/event.ts'
import type { PoolEvent } from '../../domain/events/pool-event.ts'
import type { Swap } from '../../domain/events/swap.ts'
import { readPoolEvent, writePoolEvent } from './pool-event-codec.ts'
import { WireReader, WireWriter } from './protobuf.ts'
import {
  POOL_PRICE_FIELD,
  PRICE_IMPACT_FIELD,
  readSwap,
  WALLET_TAGS_FIELD,
  writeSwap,
} from './swap-codec.ts'
import { readToken, writeToken } from './token-codec.ts'

const SWAP_FIELD = 1
const POOL_EVENT_FIELD = 2
const TOKEN_FIELD = 3
const LANE_FIELD = 4
const COMMIT_FIELD = 5
const PART_FIELD = 6
/** No event that we write is longer, by far. */
const EVENT_BYTES_MAX = 1_024

/** An event with the bytes that it came as (without tag and length). */
export type WireEvent = Event & { bytes: Uint8Array }

/** What a pool lane announces: an event, with what was computed of a swap. */
export type FeedEvent =
  | (FeedSwap & { bytes: Uint8Array | undefined })
  | { kind: 'pool_event'; poolEvent: PoolEvent; bytes: Uint8Array | undefined }

type FeedSwap = { kind: 'swap'; swap: Swap; poolPrice: number } & Stamped

/** What FEED alone says of a swap. */
type Stamped = {
  priceImpactBps: Int64 | null
  /** The tags of its wallet when it was announced, as bits (tagBits). */
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
        const mark = writer.open(SWAP_FIELD)
        writeSwap(writer, event.swap)
        writer.close(mark)
        break
      }
      case 'pool_event': {
        const mark = writer.open(POOL_EVENT_FIELD)
        writePoolEvent(writer, event.poolEvent)
        writer.close(mark)
        break
      }
      case 'token': {
        const mark = writer.open(TOKEN_FIELD)
        writeToken(writer, event.token)
        writer.close(mark)
        break
      }
      default:
        event satisfies never
    }
  }
  return writer.finish()
}

/** A SWAP message of one event exactly as it came. */
export function encodeAsItCame(event: WireEvent): Buffer {
  const field = { swap: SWAP_FIELD, pool_event: POOL_EVENT_FIELD, token: TOKEN_FIELD }[event.kind]
  writer.begin()
  const mark = writer.open(field)
  writer.raw(event.bytes)
  writer.close(mark)
  return writer.finish()
}

/** The events of a SWAP message, in its order. Throws WireError. */
export function decodeEventBatch(payload: Uint8Array): WireEvent[] {
  const reader = new WireReader(payload)
  const events: WireEvent[] = []
  while (reader.at < payload.length) {
    const tag = reader.tag()
    const field = tag >>> 3
    if ((tag & 7) !== 2 || field > TOKEN_FIELD) {
      reader.skip(tag & 7)
      continue
    }
    reader.end = reader.lengthEnd()
    const bytes = payload.subarray(reader.at, reader.end)
    if (field === SWAP_FIELD) events.push({ kind: 'swap', swap: readSwap(reader), bytes })
    else if (field === POOL_EVENT_FIELD) {
      events.push({ kind: 'pool_event', poolEvent: readPoolEvent(reader), bytes })
    } else events.push({ kind: 'token', token: readToken(reader), bytes })
    reader.end = payload.length
  }
  return events
}

/** The payload of a FEED message. */
export function encodeFeedBatch(mark: FeedMark, events: readonly FeedEvent[]): Buffer {
  writer.begin()
  for (const event of events) {
    const nested = writer.open(event.kind === 'swap' ? SWAP_FIELD : POOL_EVENT_FIELD)
    writeAsItCame(event)
    if (event.kind === 'swap') {
      writer.double(POOL_PRICE_FIELD, event.poolPrice)
      if (event.priceImpactBps !== null) writer.signed(PRICE_IMPACT_FIELD, event.priceImpactBps)
      // Whatever its value: a producer may have made one up.
      writer.optionalInteger(WALLET_TAGS_FIELD, event.walletTags)
    }
    writer.close(nested)
  }
  writer.integer(LANE_FIELD, mark.poolLane)
  writer.integer(COMMIT_FIELD, mark.commitNumber)
  writer.integer(PART_FIELD, mark.part)
  return writer.finish()
}

/**
 * The event's own bytes; written anew where they are not at hand, or would say more than the contract
 * lets in: fields of nobody's that make a message of FEED too large, or a price impact that the producer
 * made up.
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

/** Which commit of which pool lane a FEED message announces. Throws WireError. */
export function decodeFeedMark(payload: Uint8Array): FeedMark {
  const reader = new WireReader(payload)
  const mark: FeedMark = { poolLane: 0, commitNumber: 0, part: 0 }
  while (reader.at < payload.length) {
    const tag = reader.tag()
    switch (tag) {
      case LANE_FIELD << 3:
        mark.poolLane = reader.safe()
        break
      case COMMIT_FIELD << 3:
        mark.commitNumber = reader.safe()
        break
      case PART_FIELD << 3:
        mark.part = reader.safe()
        break
      default:
        reader.skip(tag & 7)
    }
  }
  return mark
}

/** The events of a FEED message: a swap with what was computed of it. Throws WireError. */
export function decodeFeedBatch(payload: Uint8Array): FeedEvent[] {
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

function readStamped(bytes: Uint8Array): Stamped {
  const reader = new WireReader(bytes)
  const stamped: Stamped = { priceImpactBps: null, walletTags: 0 }
  while (reader.at < bytes.length) {
    const tag = reader.tag()
    if (tag === PRICE_IMPACT_FIELD << 3) stamped.priceImpactBps = reader.sint64()
    else if (tag === WALLET_TAGS_FIELD << 3) stamped.walletTags = Number(reader.uint64())
    else reader.skip(tag & 7)
  }
  return stamped
}
