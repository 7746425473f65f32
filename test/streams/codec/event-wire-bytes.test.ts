/** Bytes that are no messages, or truncated, or changed: they decode to events or throw WireError. */
import test from 'ava'
import fc from 'fast-check'
import protobuf from 'protobufjs'
import type { Event } from '../../../domain/events/event.ts'
import {
  decodeEventBatch,
  decodeFeedBatch,
  decodeFeedMark,
  encodeEventBatch,
  type WireEvent,
} from '../../../streams/codec/event-codec.ts'
import { WireError } from '../../../streams/codec/protobuf.ts'
import { anyEvent, swapEvent } from '../../support/events/sample-event.ts'

const plain = (event: WireEvent): Event => {
  const { bytes: _, ...rest } = event
  return rest as Event
}

/** A length-delimited field. */
const lengthField = (field: number, bytes: Uint8Array): Buffer => {
  const writer = protobuf.Writer.create()
  return Buffer.from(
    writer
      .uint32(field * 8 + 2)
      .bytes(bytes)
      .finish(),
  )
}

/** The events, or the error: anything but a WireError is thrown on. */
function attempt<Result>(decode: () => Result): Result | WireError {
  try {
    return decode()
  } catch (error) {
    if (error instanceof WireError) return error
    throw error
  }
}

const decoders = [decodeEventBatch, decodeFeedBatch, decodeFeedMark]

test('random bytes decode to events or throw WireError', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      for (const decode of decoders) t.notThrows(() => attempt(() => decode(bytes)))
      // Placed inside an event, so that its fields are reached.
      for (const field of [1, 2, 3]) {
        t.notThrows(() => attempt(() => decodeEventBatch(lengthField(field, bytes))))
        t.notThrows(() => attempt(() => decodeFeedBatch(lengthField(field, bytes))))
      }
    }),
    { numRuns: 500 },
  )
})

test('a message with one changed byte decodes to events or throws WireError', (t) => {
  fc.assert(
    fc.property(
      fc.array(anyEvent, { minLength: 1, maxLength: 3 }),
      fc.nat(),
      fc.nat(255),
      (events, index, value) => {
        const bytes = encodeEventBatch(events)
        bytes[index % bytes.length] = value
        for (const decode of decoders) t.notThrows(() => attempt(() => decode(bytes)))
      },
    ),
    { numRuns: 500 },
  )
})

test('a cut message is the whole events before the cut, or a WireError', (t) => {
  fc.assert(
    fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 3 }), (events) => {
      const bytes = encodeEventBatch(events)
      const ends = events.map((_, index) => encodeEventBatch(events.slice(0, index + 1)).length)
      for (let length = 0; length < bytes.length; length++) {
        const result = attempt(() => decodeEventBatch(bytes.subarray(0, length)))
        const whole = ends.indexOf(length) + 1
        if (length === 0) t.deepEqual(result, [])
        else if (whole === 0) t.true(result instanceof WireError, `${length}`)
        else t.deepEqual((result as WireEvent[]).map(plain), events.slice(0, whole))
      }
    }),
    { numRuns: 20 },
  )
})

test('reads a view into a larger buffer by its bounds', (t) => {
  const events = [swapEvent(), swapEvent({ isBuy: false })]
  const bytes = encodeEventBatch(events)
  const larger = Buffer.concat([Buffer.alloc(13, 255), bytes, Buffer.alloc(50, 255)])
  const view = new Uint8Array(larger.buffer, larger.byteOffset + 13, bytes.length)
  t.deepEqual(decodeEventBatch(view).map(plain), events)
})
