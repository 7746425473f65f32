/** A PoolEvent's fields in protobuf (proto/swaptide/v1/event.proto, message PoolEvent). */
import type { PoolEvent, PoolEventKind } from '../../domain/events/pool-event.ts'
import type { DexId } from '../../domain/venue.ts'
import { type FieldTable, readFields, type WireReader, type WireWriter } from './protobuf.ts'

export function writePoolEvent(to: WireWriter, event: PoolEvent): void {
  to.ascii(1, event.event)
  to.ascii(2, event.signature)
  to.integer(3, event.slot)
  to.integer(4, event.timestamp)
  to.ascii(5, event.pairAddress)
  to.ascii(6, event.tokenAddress)
  to.integer(7, event.dex)
  to.integer(8, event.blockTxIndex)
  to.integer(9, event.ixIndex)
  if (event.creator !== undefined) to.ascii(10, event.creator)
  if (event.fromPair !== undefined) to.ascii(11, event.fromPair)
  if (event.solAmount !== undefined) to.optionalInteger(12, event.solAmount)
  if (event.tokenAmount !== undefined) to.optionalInteger(13, event.tokenAmount)
}

const POOL_EVENT_FIELDS: FieldTable<PoolEvent> = [
  undefined,
  [
    2,
    (r, event) => {
      event.event = r.ascii() as PoolEventKind
    },
  ],
  [
    2,
    (r, event) => {
      event.signature = r.ascii()
    },
  ],
  [
    0,
    (r, event) => {
      event.slot = r.safe()
    },
  ],
  [
    0,
    (r, event) => {
      event.timestamp = r.safe()
    },
  ],
  [
    2,
    (r, event) => {
      event.pairAddress = r.ascii()
    },
  ],
  [
    2,
    (r, event) => {
      event.tokenAddress = r.ascii()
    },
  ],
  [
    0,
    (r, event) => {
      event.dex = r.safe() as DexId
    },
  ],
  [
    0,
    (r, event) => {
      event.blockTxIndex = r.safe()
    },
  ],
  [
    0,
    (r, event) => {
      event.ixIndex = r.safe()
    },
  ],
  [
    2,
    (r, event) => {
      event.creator = r.ascii()
    },
  ],
  [
    2,
    (r, event) => {
      event.fromPair = r.ascii()
    },
  ],
  [
    0,
    (r, event) => {
      event.solAmount = r.uint64()
    },
  ],
  [
    0,
    (r, event) => {
      event.tokenAmount = r.uint64()
    },
  ],
]

export function readPoolEvent(reader: WireReader): PoolEvent {
  const empty: PoolEvent = {
    event: '' as PoolEventKind,
    signature: '',
    slot: 0,
    timestamp: 0,
    pairAddress: '',
    tokenAddress: '',
    dex: 0 as DexId,
    blockTxIndex: 0,
    ixIndex: 0,
  }
  return readFields(reader, empty, POOL_EVENT_FIELDS)
}
