/**
 * The messages of a Yellowstone stream by a general protobuf library that reads the .proto file itself: the measure of
 * the hand-written reader, and the codec of the test server.
 */
import { fileURLToPath } from 'node:url'
import protobuf from 'protobufjs'

export const YELLOWSTONE_PROTO = fileURLToPath(
  new URL('../../../../proto/yellowstone/geyser.proto', import.meta.url),
)

const root = protobuf.loadSync(YELLOWSTONE_PROTO)
const SubscribeUpdate = root.lookupType('geyser.SubscribeUpdate')
const SubscribeRequest = root.lookupType('geyser.SubscribeRequest')

/** Encodes an object with camelCase names; integers as numbers or in digits, enumerations by name. */
export function encodeUpdate(update: Record<string, unknown>): Buffer {
  return Buffer.from(SubscribeUpdate.encode(SubscribeUpdate.fromObject(update)).finish())
}

/** A client's request; absent optional fields are absent. */
export type ReceivedRequest = {
  slots?: Record<string, { filterByCommitment?: boolean; interslotUpdates?: boolean }>
  transactions?: Record<string, { vote?: boolean; failed?: boolean; accountInclude?: string[] }>
  transactionsStatus?: Record<string, object>
  blocksMeta?: Record<string, object>
  commitment?: 'PROCESSED' | 'CONFIRMED' | 'FINALIZED'
  fromSlot?: string
  ping?: { id: number }
}

export function decodeRequest(bytes: Uint8Array): ReceivedRequest {
  const decoded = SubscribeRequest.decode(bytes)
  return SubscribeRequest.toObject(decoded, { longs: String, enums: String })
}
