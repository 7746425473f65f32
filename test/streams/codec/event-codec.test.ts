/**
 * Messages of SWAP and FEED against a general protobuf library that reads the .proto file itself, in
 * both directions; and against bytes that are no messages.
 */
import test from 'ava'
import fc from 'fast-check'
import protobuf from 'protobufjs'
import { INT64_MAX, INT64_MIN, type Int64, int64 } from '../../../domain/amount.ts'
import type { Event, MarketEvent } from '../../../domain/events/event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import {
  countFeedSwaps,
  decodeEventBatch,
  decodeFeedBatch,
  decodeFeedMark,
  encodeAsItCame,
  encodeEventBatch,
  encodeFeedBatch,
  type FeedEvent,
  type WireEvent,
} from '../../../streams/codec/event-codec.ts'
import { WireError } from '../../../streams/codec/protobuf.ts'
import { checkEvent, parseEvent } from '../../../streams/ingest/contract.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import {
  anyEvent,
  anyRetraction,
  MINT,
  SWAP,
  swapEvent,
} from '../../support/events/sample-event.ts'

const root = protobuf.loadSync(
  new URL('../../../proto/swaptide/v1/event.proto', import.meta.url).pathname,
)
const EventBatch = root.lookupType('swaptide.v1.EventBatch')
const FeedBatch = root.lookupType('swaptide.v1.FeedBatch')

type Fields = Record<string, unknown>
type Batches = { swap: Fields[]; poolEvent: Fields[]; token: Fields[] }

/** The fields of an event, by its names. */
const fieldsOf = (event: MarketEvent): Fields =>
  event.kind === 'swap' ? event.swap : event.kind === 'token' ? event.token : event.poolEvent

/** The form that the library prints: integers of 64 bits as text, absent and zero fields omitted. */
function printed(fields: Fields): Fields {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    said.map(([name, value]) => [name, typeof value === 'bigint' ? `${value}` : value]),
  )
}

/** Same names and values, be an integer a text or a number, an absent one of no presence zero. */
function normal(type: string, fields: Fields): Fields {
  const known = root.lookupType(`swaptide.v1.${type}`).fieldsArray
  return Object.fromEntries(
    known.flatMap((field) => {
      const value = fields[field.name]
      if (value === undefined && field.partOf !== null) return []
      const zero = field.type === 'string' ? '' : field.type === 'bool' ? false : '0'
      const isWhole = field.type.includes('int')
      return [[field.name, value === undefined ? zero : isWhole ? `${value}` : value]]
    }),
  )
}

const TYPES = { swap: 'Swap', pool_event: 'PoolEvent', token: 'Token' } as const

/** The events of a batch as the library reads or writes them: by kind. */
function byKind(events: readonly MarketEvent[]): Batches {
  const of = (kind: MarketEvent['kind']) =>
    events.filter((event) => event.kind === kind).map((event) => printed(fieldsOf(event)))
  return { swap: of('swap'), poolEvent: of('pool_event'), token: of('token') }
}

function normalBatches(batches: Partial<Batches>): Batches {
  return {
    swap: (batches.swap ?? []).map((fields) => normal('Swap', fields)),
    poolEvent: (batches.poolEvent ?? []).map((fields) => normal('PoolEvent', fields)),
    token: (batches.token ?? []).map((fields) => normal('Token', fields)),
  }
}

const theirsReads = (type: protobuf.Type, bytes: Uint8Array) =>
  type.toObject(type.decode(bytes), { longs: String }) as Partial<Batches>
const theirsWrites = (type: protobuf.Type, fields: object) =>
  type.encode(type.fromObject(fields)).finish()

const plain = (event: WireEvent): Event => {
  const { bytes: _, ...rest } = event
  return rest as Event
}

test('retractions come back as they were', (t) => {
  fc.assert(
    fc.property(fc.array(fc.oneof(anyRetraction, anyEvent), { maxLength: 12 }), (events) => {
      t.deepEqual(decodeEventBatch(encodeEventBatch(events)).map(plain), events)
      for (const event of events) t.deepEqual(parseEvent(printEvent(event), 2 ** 53), { event })
    }),
  )
})

const batches = fc.array(anyEvent, { maxLength: 12 })

test('decodes what was encoded to the last digit', (t) => {
  fc.assert(
    fc.property(batches, (events) => {
      t.deepEqual(decodeEventBatch(encodeEventBatch(events)).map(plain), events)
    }),
  )
})

test('decoded swaps of all venues have every field, in one order', (t) => {
  fc.assert(
    fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 20 }), (events) => {
      const backwards = events.map((event) =>
        event.kind === 'swap'
          ? { ...event, swap: Object.fromEntries(Object.entries(event.swap).reverse()) as Swap }
          : event,
      )
      for (const event of decodeEventBatch(encodeEventBatch(backwards))) {
        if (event.kind === 'swap') t.deepEqual(Object.keys(event.swap), Object.keys(SWAP))
      }
    }),
  )
})

test('the same events make the same bytes', (t) => {
  fc.assert(
    fc.property(batches, (events) => {
      t.deepEqual(encodeEventBatch(events), encodeEventBatch(structuredClone(events)))
    }),
  )
})

test('a general library reads our messages as they were meant', (t) => {
  fc.assert(
    fc.property(batches, (events) => {
      const read = theirsReads(EventBatch, encodeEventBatch(events))
      t.deepEqual(normalBatches(read), normalBatches(byKind(events)))
    }),
  )
})

test('messages of a general library are read as they were meant', (t) => {
  fc.assert(
    fc.property(batches, (events) => {
      const bytes = theirsWrites(EventBatch, byKind(events))
      const inKinds = (['swap', 'pool_event', 'token'] as const).flatMap((kind) =>
        events.filter((event) => event.kind === kind),
      )
      t.deepEqual(decodeEventBatch(bytes).map(plain), inKinds)
    }),
  )
})

test('the bytes are those of the library, which writes fields in order too', (t) => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      const type = root.lookupType(`swaptide.v1.${TYPES[event.kind]}`)
      // A field without presence that is zero is not written; the library writes every given field.
      const given = Object.entries(printed(fieldsOf(event))).filter(
        ([name, value]) =>
          type.fields[name]?.partOf !== null || (value !== 0 && value !== '' && value !== false),
      )
      const [decoded] = decodeEventBatch(encodeEventBatch([event]))
      t.deepEqual(
        Buffer.from(decoded!.bytes),
        Buffer.from(theirsWrites(type, Object.fromEntries(given))),
      )
    }),
  )
})

test('an event sent again as it came is the same event in the same bytes', (t) => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      const [decoded] = decodeEventBatch(encodeEventBatch([event]))
      t.deepEqual(encodeAsItCame(decoded!), encodeEventBatch([event]))
    }),
  )
})

const impacts: fc.Arbitrary<Int64 | null> = fc.oneof(
  fc.constant(null),
  fc.integer({ min: -40_000, max: 40_000 }),
  fc.bigInt(INT64_MIN, INT64_MAX).map(int64),
  fc.constantFrom(0, -1, INT64_MIN, INT64_MAX),
)
const prices = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })
const stamps = fc.tuple(impacts, fc.nat(15))
const marks = fc.record({
  poolLane: fc.nat(255),
  commitNumber: fc.maxSafeNat(),
  part: fc.nat(1000),
})

/** The message that a pool lane would publish of decoded events. */
function published(
  events: readonly MarketEvent[],
  poolPrice: number,
  priceImpactBps: Int64 | null,
  walletTags = 0,
): FeedEvent[] {
  return decodeEventBatch(encodeEventBatch(events)).flatMap((event): FeedEvent[] => {
    if (event.kind === 'pool_event') return [event]
    return event.kind === 'swap' ? [{ ...event, poolPrice, priceImpactBps, walletTags }] : []
  })
}

test('a general library reads FEED with the computed price and impact, and the tags of wallets', (t) => {
  fc.assert(
    fc.property(batches, marks, prices, stamps, (events, mark, poolPrice, stamped) => {
      const [priceImpactBps, walletTags] = stamped
      const feed = published(events, poolPrice, ...stamped)
      const bytes = encodeFeedBatch(mark, feed)
      const read = theirsReads(FeedBatch, bytes) as Partial<Batches> & Fields
      const computed = priceImpactBps === null ? {} : { priceImpactBps: `${priceImpactBps}` }
      const expected = byKind(events)
      const swaps = expected.swap.map((fields) => ({
        ...fields,
        poolPrice,
        ...computed,
        walletTags: `${walletTags}`,
      }))
      t.deepEqual(normalBatches(read), normalBatches({ ...expected, swap: swaps, token: [] }))
      const { poolLane = 0, commitNumber = 0, part = 0 } = read
      t.deepEqual({ poolLane, commitNumber: Number(commitNumber), part }, mark)
    }),
  )
})

test('round-trips a message of FEED with its mark, price, impact and tags', (t) => {
  fc.assert(
    fc.property(batches, marks, prices, stamps, (events, mark, poolPrice, stamped) => {
      const feed = published(events, poolPrice, ...stamped)
      const bytes = encodeFeedBatch(mark, feed)
      t.deepEqual(decodeFeedMark(bytes), mark)
      t.is(countFeedSwaps(bytes), feed.filter(({ kind }) => kind === 'swap').length)
      const said = decodeFeedBatch(bytes).map((event) =>
        event.kind === 'swap'
          ? [
              { ...event.swap, poolPrice: 0 },
              event.poolPrice,
              event.priceImpactBps,
              event.walletTags,
            ]
          : event.poolEvent,
      )
      const meant = feed.map((event) =>
        event.kind === 'swap'
          ? [
              { ...event.swap, poolPrice: 0 },
              event.poolPrice,
              event.priceImpactBps,
              event.walletTags,
            ]
          : event.poolEvent,
      )
      t.deepEqual(said, meant)
    }),
  )
})

test('a price impact and tags that a producer made up do not reach FEED', (t) => {
  const swap = theirsWrites(EventBatch, {
    swap: [{ ...printed(SWAP), priceImpactBps: '77', walletTags: 15, poolPrice: 5 }],
  })
  const [event] = decodeEventBatch(swap)
  t.is(event?.kind, 'swap')
  if (event?.kind !== 'swap') return
  t.is(checkEvent(event), undefined)
  const mark = { poolLane: 0, commitNumber: 1, part: 0 }
  for (const impact of [null, -3]) {
    const walletTags = impact === null ? 0 : 2
    const stamped = { poolPrice: 5, priceImpactBps: impact, walletTags }
    const feed = encodeFeedBatch(mark, [{ ...event, ...stamped }])
    const [read] = decodeFeedBatch(feed)
    t.is(read?.kind === 'swap' ? read.priceImpactBps : undefined, impact)
    t.is(read?.kind === 'swap' ? read.walletTags : undefined, walletTags)
    const theirs = theirsReads(FeedBatch, feed).swap?.[0]
    t.is(theirs?.walletTags, walletTags)
    t.is(theirs?.priceImpactBps, impact === null ? undefined : `${impact}`)
    t.deepEqual(read?.kind === 'swap' ? read.swap : undefined, { ...SWAP, poolPrice: 5 })
  }
})

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

test('refuses fields on ingest that readers of FEED could not decode', (t) => {
  // Fields 31 and 32 as bytes: no numbers when read as the price impact and the tags.
  const swap = Buffer.concat([decodeEventBatch(encodeEventBatch([swapEvent()]))[0]!.bytes])
  for (const field of [31, 32]) {
    const forged = lengthField(1, Buffer.concat([swap, lengthField(field, Buffer.from('abc'))]))
    t.throws(() => decodeEventBatch(forged), { instanceOf: WireError })
  }
})

test('unknown fields do not swell FEED', (t) => {
  const bulk = lengthField(99, Buffer.alloc(100_000))
  const poolEvent = {
    event: 'created',
    signature: 's',
    pairAddress: 'p',
    tokenAddress: 't',
    creator: 'c',
  }
  const events = decodeEventBatch(
    Buffer.concat([
      lengthField(
        1,
        Buffer.concat([decodeEventBatch(encodeEventBatch([swapEvent()]))[0]!.bytes, bulk]),
      ),
      lengthField(
        2,
        Buffer.concat([theirsWrites(root.lookupType('swaptide.v1.PoolEvent'), poolEvent), bulk]),
      ),
    ]),
  )
  t.is(events.length, 2)
  const feed = events.flatMap((event): FeedEvent[] =>
    event.kind === 'swap'
      ? [{ ...event, poolPrice: 1, priceImpactBps: 2, walletTags: 4 }]
      : event.kind === 'pool_event'
        ? [event]
        : [],
  )
  const bytes = encodeFeedBatch({ poolLane: 0, commitNumber: 1, part: 0 }, feed)
  t.true(bytes.length < 1_000)
  const [swap, created] = decodeFeedBatch(bytes)
  t.is(swap?.kind === 'swap' ? swap.swap.signature : '', SWAP.signature)
  t.is(swap?.kind === 'swap' ? swap.priceImpactBps : null, 2)
  t.is(created?.kind === 'pool_event' ? created.poolEvent.creator : '', 'c')
})

test('unknown fields are skipped, between events and within', (t) => {
  const swap = decodeEventBatch(encodeEventBatch([swapEvent()]))[0]!.bytes
  const unknown = [
    lengthField(40, Buffer.from('a later field')),
    Buffer.from('c802ac02', 'hex'), // field 41, a number
    Buffer.from('d1020102030405060708', 'hex'), // field 42, eight bytes
    Buffer.from('dd0201020304', 'hex'), // field 43, four bytes
  ]
  const payload = Buffer.concat([
    ...unknown,
    lengthField(1, Buffer.concat([...unknown, swap, ...unknown])),
    ...unknown,
  ])
  t.deepEqual(decodeEventBatch(payload).map(plain), [swapEvent()])
  t.deepEqual(decodeFeedMark(payload), { poolLane: 0, commitNumber: 0, part: 0 })
})

test('refuses an event whose text exceeds its end, although bytes follow', (t) => {
  const inner = Buffer.from('0a0a61', 'hex') // field 1: ten bytes, of which one is present
  const payload = Buffer.concat([lengthField(1, inner), lengthField(1, Buffer.alloc(64))])
  t.throws(() => decodeEventBatch(payload), { instanceOf: WireError })
})

test('a failed encoding leaves no bytes in the next message', (t) => {
  const feed = published([swapEvent()], 1, 1.5)
  const mark = { poolLane: 0, commitNumber: 1, part: 0 }
  t.throws(() => encodeFeedBatch(mark, feed), { instanceOf: RangeError })
  const token: MarketEvent = { kind: 'token', token: { tokenAddress: MINT, slot: 0 } }
  t.deepEqual(decodeEventBatch(encodeEventBatch([token])).map(plain), [token])
})
