/**
 * Events to and from the bytes of SWAP and FEED (proto/swaptide/v1/event.proto).
 *
 * A decoded event keeps its own bytes: what is announced in FEED is those bytes with the computed
 * fields behind them (in protobuf the later value of a field stands), so nothing is encoded twice.
 */
import type { Int64 } from './amount.ts'
import type { Event } from './event.ts'
import type { PoolEvent, PoolEventKind } from './pool-event.ts'
import type { Swap } from './swap.ts'
import type { Token } from './token.ts'
import type { DexId } from './venue.ts'
import { WireError, WireReader, WireWriter } from './wire.ts'

const SWAP_FIELD = 1
const POOL_EVENT_FIELD = 2
const TOKEN_FIELD = 3
const LANE_FIELD = 4
const COMMIT_FIELD = 5
const PART_FIELD = 6
const POOL_PRICE_FIELD = 28
const PRICE_IMPACT_FIELD = 31

/** An event with the bytes that it came as (without tag and length). */
export type WireEvent = Event & { bytes: Uint8Array }

/** What a pool lane announces: an event as it came, with what was computed of a swap. */
export type FeedEvent =
  | { kind: 'swap'; swap: Swap; bytes: Uint8Array; poolPrice: number; priceImpactBps: Int64 | null }
  | { kind: 'pool_event'; poolEvent: PoolEvent; bytes: Uint8Array }

export type FeedMark = { poolLane: number; commitNumber: number; part: number }

const writer = new WireWriter(1 << 18)

/** The payload of a SWAP message. The same events make the same bytes. */
export function encodeEventBatch(events: readonly Event[]): Buffer {
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

/** The events of a SWAP message, in its order. Throws WireError. */
export function decodeEventBatch(payload: Uint8Array): WireEvent[] {
  const reader = new WireReader(payload)
  const events: WireEvent[] = []
  while (reader.at < payload.length) {
    const tag = reader.safe()
    const field = tag >>> 3
    if ((tag & 7) !== 2 || field > TOKEN_FIELD || field === 0) {
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
  for (const event of events) {
    const nested = writer.open(event.kind === 'swap' ? SWAP_FIELD : POOL_EVENT_FIELD)
    writer.raw(event.bytes)
    if (event.kind === 'swap') {
      writer.double(POOL_PRICE_FIELD, event.poolPrice)
      if (event.priceImpactBps !== null) writer.signed(PRICE_IMPACT_FIELD, event.priceImpactBps)
    }
    writer.close(nested)
  }
  writer.integer(LANE_FIELD, mark.poolLane)
  writer.integer(COMMIT_FIELD, mark.commitNumber)
  writer.integer(PART_FIELD, mark.part)
  return writer.finish()
}

/** Which commit of which pool lane a FEED message announces. Throws WireError. */
export function decodeFeedMark(payload: Uint8Array): FeedMark {
  const reader = new WireReader(payload)
  const mark: FeedMark = { poolLane: 0, commitNumber: 0, part: 0 }
  while (reader.at < payload.length) {
    const tag = reader.safe()
    switch (tag >>> 3) {
      case LANE_FIELD:
        mark.poolLane = reader.safe()
        break
      case COMMIT_FIELD:
        mark.commitNumber = reader.safe()
        break
      case PART_FIELD:
        mark.part = reader.safe()
        break
      default:
        reader.skip(tag & 7)
    }
  }
  return mark
}

/** The events of a FEED message: a swap with its pool price and price impact. Throws WireError. */
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
        priceImpactBps: readPriceImpact(bytes),
      })
    }
  }
  return events
}

function readPriceImpact(bytes: Uint8Array): Int64 | null {
  const reader = new WireReader(bytes)
  let impact: Int64 | null = null
  while (reader.at < bytes.length) {
    const tag = reader.safe()
    if (tag >>> 3 === PRICE_IMPACT_FIELD) impact = reader.sint64()
    else reader.skip(tag & 7)
  }
  return impact
}

function writeSwap(to: WireWriter, swap: Swap): void {
  to.ascii(1, swap.signature)
  to.integer(2, swap.slot)
  to.integer(3, swap.timestamp)
  to.ascii(4, swap.tokenAddress)
  to.ascii(5, swap.pairAddress)
  to.ascii(6, swap.user)
  to.integer(7, swap.isBuy ? 1 : 0)
  to.integer(8, swap.dex)
  to.integer(9, swap.solAmount)
  to.integer(10, swap.tokenAmount)
  to.integer(11, swap.fee)
  to.integer(12, swap.feeBps)
  to.integer(13, swap.creatorFee)
  to.integer(14, swap.creatorFeeBps)
  to.integer(15, swap.quoteDecimals)
  to.integer(16, swap.virtualSolReserves)
  to.integer(17, swap.virtualTokenReserves)
  to.integer(18, swap.realSolReserves)
  to.integer(19, swap.realTokenReserves)
  to.integer(20, swap.transferFeeIn)
  to.integer(21, swap.transferFeeOut)
  to.integer(22, swap.cashback)
  to.integer(23, swap.cashbackBps)
  to.integer(24, swap.blockTxIndex)
  to.integer(25, swap.ixIndex)
  to.integer(26, swap.timeSource)
  to.integer(27, swap.agentTrade)
  if (swap.poolPrice !== undefined) to.double(POOL_PRICE_FIELD, swap.poolPrice)
  if (swap.priceBefore !== undefined) to.double(29, swap.priceBefore)
  if (swap.priceAfter !== undefined) to.double(30, swap.priceAfter)
}

const emptySwap = (): Swap => ({
  signature: '',
  slot: 0,
  timestamp: 0,
  tokenAddress: '',
  pairAddress: '',
  user: '',
  isBuy: false,
  dex: 0 as DexId,
  solAmount: 0,
  tokenAmount: 0,
  fee: 0,
  feeBps: 0,
  creatorFee: 0,
  creatorFeeBps: 0,
  quoteDecimals: 0,
  virtualSolReserves: 0,
  virtualTokenReserves: 0,
  realSolReserves: 0,
  realTokenReserves: 0,
  transferFeeIn: 0,
  transferFeeOut: 0,
  cashback: 0,
  cashbackBps: 0,
  blockTxIndex: 0,
  ixIndex: 0,
  timeSource: 0,
  agentTrade: 0,
})

type ReadField<Message> = (reader: WireReader, message: Message) => void

/** Field number -> [wire type, reader]: what a field is read by, and as what it must come. */
const SWAP_FIELDS: (readonly [number, ReadField<Swap>] | undefined)[] = [
  undefined,
  [
    2,
    (r, swap) => {
      swap.signature = r.ascii()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.slot = r.safe()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.timestamp = r.safe()
    },
  ],
  [
    2,
    (r, swap) => {
      swap.tokenAddress = r.ascii()
    },
  ],
  [
    2,
    (r, swap) => {
      swap.pairAddress = r.ascii()
    },
  ],
  [
    2,
    (r, swap) => {
      swap.user = r.ascii()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.isBuy = r.safe() !== 0
    },
  ],
  [
    0,
    (r, swap) => {
      swap.dex = r.safe() as DexId
    },
  ],
  [
    0,
    (r, swap) => {
      swap.solAmount = r.uint64()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.tokenAmount = r.uint64()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.fee = r.uint64()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.feeBps = r.safe()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.creatorFee = r.uint64()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.creatorFeeBps = r.safe()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.quoteDecimals = r.safe()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.virtualSolReserves = r.uint64()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.virtualTokenReserves = r.uint64()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.realSolReserves = r.uint64()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.realTokenReserves = r.uint64()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.transferFeeIn = r.uint64()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.transferFeeOut = r.uint64()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.cashback = r.uint64()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.cashbackBps = r.safe()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.blockTxIndex = r.safe()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.ixIndex = r.safe()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.timeSource = r.safe()
    },
  ],
  [
    0,
    (r, swap) => {
      swap.agentTrade = r.safe()
    },
  ],
  [
    1,
    (r, swap) => {
      swap.poolPrice = r.double()
    },
  ],
  [
    1,
    (r, swap) => {
      swap.priceBefore = r.double()
    },
  ],
  [
    1,
    (r, swap) => {
      swap.priceAfter = r.double()
    },
  ],
]

function readFields<Message>(
  reader: WireReader,
  message: Message,
  fields: (readonly [number, ReadField<Message>] | undefined)[],
): Message {
  while (reader.at < reader.end) {
    const tag = reader.safe()
    const field = fields[tag >>> 3]
    if (field === undefined) reader.skip(tag & 7)
    else if (field[0] !== (tag & 7)) {
      throw new WireError(`field ${tag >>> 3} has wire type ${tag & 7}, expected ${field[0]}`)
    } else field[1](reader, message)
  }
  return message
}

const readSwap = (reader: WireReader): Swap => readFields(reader, emptySwap(), SWAP_FIELDS)

function writePoolEvent(to: WireWriter, event: PoolEvent): void {
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

const POOL_EVENT_FIELDS: (readonly [number, ReadField<PoolEvent>] | undefined)[] = [
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

function readPoolEvent(reader: WireReader): PoolEvent {
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

function writeToken(to: WireWriter, token: Token): void {
  to.ascii(1, token.tokenAddress)
  to.integer(2, token.slot)
  if (token.creator !== undefined) to.ascii(3, token.creator)
  if (token.decimals !== undefined) to.optionalInteger(4, token.decimals)
  if (token.symbol !== undefined) to.text(5, token.symbol)
  if (token.name !== undefined) to.text(6, token.name)
  if (token.supply !== undefined) to.optionalInteger(7, token.supply)
  if (token.sector !== undefined) to.text(8, token.sector)
}

const TOKEN_FIELDS: (readonly [number, ReadField<Token>] | undefined)[] = [
  undefined,
  [
    2,
    (r, token) => {
      token.tokenAddress = r.ascii()
    },
  ],
  [
    0,
    (r, token) => {
      token.slot = r.safe()
    },
  ],
  [
    2,
    (r, token) => {
      token.creator = r.ascii()
    },
  ],
  [
    0,
    (r, token) => {
      token.decimals = r.safe()
    },
  ],
  [
    2,
    (r, token) => {
      token.symbol = r.text()
    },
  ],
  [
    2,
    (r, token) => {
      token.name = r.text()
    },
  ],
  [
    0,
    (r, token) => {
      token.supply = r.uint64()
    },
  ],
  [
    2,
    (r, token) => {
      token.sector = r.text()
    },
  ],
]

const readToken = (reader: WireReader): Token =>
  readFields(reader, { tokenAddress: '', slot: 0 }, TOKEN_FIELDS)
