/**
 * Events that a retraction took back, in FEED (proto/swaptide/v1/event.proto). They are in fields of their own, which the
 * decoders of other events pass by.
 */
import type { Int64 } from '../../domain/amount.ts'
import type { PoolEvent } from '../../domain/events/pool-event.ts'
import type { Swap } from '../../domain/events/swap.ts'
import { WireReader, WireWriter } from './protobuf.ts'
import { readPoolEvent, writePoolEvent } from './rare-event-codec.ts'
import { readSwap, writeSwap } from './swap-codec.ts'
import { FEED_BATCH, SWAP } from './tags.ts'

/** The commit of a pool lane that a message of FEED publishes. */
type Mark = { poolLane: number; commitNumber: number; part: number }

/** A swap that was taken back, as FEED published it before. */
export type RetractedSwap = {
  swap: Swap
  poolPrice: number
  priceImpactBps: Int64 | null
  /** Bits (tagBits). */
  walletTags: number
}

/** The events that a message of FEED takes back. */
export type Retracted = {
  blockhash: string | undefined
  swaps: RetractedSwap[]
  poolEvents: PoolEvent[]
}

const writer = new WireWriter(1 << 16)

/** The payload of a FEED message that takes events back. */
export function encodeRetracted(mark: Mark, retracted: Retracted): Buffer {
  writer.begin()
  for (const { swap, poolPrice, priceImpactBps, walletTags } of retracted.swaps) {
    const nested = writer.open(FEED_BATCH.retractedSwap)
    writeSwap(writer, { ...swap, poolPrice })
    if (priceImpactBps !== null) writer.signed(SWAP.priceImpactBps, priceImpactBps)
    writer.optionalInteger(SWAP.walletTags, walletTags)
    writer.close(nested)
  }
  for (const poolEvent of retracted.poolEvents) {
    const nested = writer.open(FEED_BATCH.retractedPoolEvent)
    writePoolEvent(writer, poolEvent)
    writer.close(nested)
  }
  writer.integer(FEED_BATCH.poolLane, mark.poolLane)
  writer.integer(FEED_BATCH.commitNumber, mark.commitNumber)
  writer.integer(FEED_BATCH.part, mark.part)
  if (retracted.blockhash !== undefined) {
    writer.ascii(FEED_BATCH.retractedBlockhash, retracted.blockhash)
  }
  return writer.finish()
}

/** The events that a message of FEED takes back; undefined for one that publishes events. Throws WireError. */
export function decodeRetracted(payload: Uint8Array): Retracted | undefined {
  const reader = new WireReader(payload)
  const retracted: Retracted = { blockhash: undefined, swaps: [], poolEvents: [] }
  while (reader.at < payload.length) {
    const tag = reader.tag()
    if (tag === FEED_BATCH.retractedBlockhash) retracted.blockhash = reader.ascii()
    else if (tag === FEED_BATCH.retractedSwap || tag === FEED_BATCH.retractedPoolEvent) {
      reader.end = reader.lengthEnd()
      if (tag === FEED_BATCH.retractedSwap) retracted.swaps.push(readRetractedSwap(payload, reader))
      else retracted.poolEvents.push(readPoolEvent(reader))
      reader.end = payload.length
    } else reader.skip(tag & 7)
  }
  const isEmpty = retracted.swaps.length + retracted.poolEvents.length === 0
  return isEmpty ? undefined : retracted
}

function readRetractedSwap(payload: Uint8Array, reader: WireReader): RetractedSwap {
  const stamped = { priceImpactBps: null as Int64 | null, walletTags: 0 }
  const again = new WireReader(payload.subarray(reader.at, reader.end))
  while (again.at < again.end) {
    const tag = again.tag()
    if (tag === SWAP.priceImpactBps) stamped.priceImpactBps = again.sint64()
    else if (tag === SWAP.walletTags) stamped.walletTags = again.safe()
    else again.skip(tag & 7)
  }
  const swap = readSwap(reader)
  return { swap, poolPrice: swap.poolPrice ?? 0, ...stamped }
}
