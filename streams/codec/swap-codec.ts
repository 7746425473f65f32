/**
 * A Swap's fields in protobuf (proto/swaptide/v1/event.proto, message Swap). Zero is not written.
 */
import type { Swap } from '../../domain/events/swap.ts'
import type { DexId } from '../../domain/venue.ts'
import { type WireReader, type WireWriter, wrongWireType } from './protobuf.ts'

/** Fields that are computed: in FEED they stand behind what came in. */
export const POOL_PRICE_FIELD = 28
export const PRICE_IMPACT_FIELD = 31
export const WALLET_TAGS_FIELD = 32

export function writeSwap(to: WireWriter, swap: Swap): void {
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

const DOUBLE = 1
const TEXT = 2

/** By field number: the wire type that a field must come as; undefined where none is known. */
const WIRE_TYPES: readonly (number | undefined)[] = [
  undefined,
  TEXT,
  ...[0, 0],
  ...[TEXT, TEXT, TEXT],
  ...Array<number>(21).fill(0),
  ...[DOUBLE, DOUBLE, DOUBLE],
  ...[0, 0],
]

/** Every field stands here, in this order: swaps of one shape are read without asking where a field lies. */
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
  poolPrice: undefined,
  priceBefore: undefined,
  priceAfter: undefined,
})

/** The swap up to the reader's end. Throws WireError. */
export function readSwap(reader: WireReader): Swap {
  const swap = emptySwap()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case (1 << 3) | TEXT:
        swap.signature = reader.ascii()
        break
      case (4 << 3) | TEXT:
        swap.tokenAddress = reader.ascii()
        break
      case (5 << 3) | TEXT:
        swap.pairAddress = reader.ascii()
        break
      case (6 << 3) | TEXT:
        swap.user = reader.ascii()
        break
      default:
        if (!readTraded(reader, tag, swap)) readOther(reader, tag, swap)
    }
  }
  return swap
}

/** What moves a position, but for its names. */
export type Traded = Pick<
  Swap,
  | 'slot'
  | 'timestamp'
  | 'isBuy'
  | 'dex'
  | 'solAmount'
  | 'tokenAmount'
  | 'quoteDecimals'
  | 'transferFeeIn'
  | 'transferFeeOut'
  | 'blockTxIndex'
  | 'ixIndex'
>

/** Reads a field of what was traded, unless the tag is of another field: then false. Throws WireError. */
export function readTraded(reader: WireReader, tag: number, swap: Traded): boolean {
  switch (tag) {
    case 2 << 3:
      swap.slot = reader.safe()
      break
    case 3 << 3:
      swap.timestamp = reader.safe()
      break
    case 7 << 3:
      swap.isBuy = reader.safe() !== 0
      break
    case 8 << 3:
      swap.dex = reader.safe() as DexId
      break
    case 9 << 3:
      swap.solAmount = reader.uint64()
      break
    case 10 << 3:
      swap.tokenAmount = reader.uint64()
      break
    case 15 << 3:
      swap.quoteDecimals = reader.safe()
      break
    case 20 << 3:
      swap.transferFeeIn = reader.uint64()
      break
    case 21 << 3:
      swap.transferFeeOut = reader.uint64()
      break
    case 24 << 3:
      swap.blockTxIndex = reader.safe()
      break
    case 25 << 3:
      swap.ixIndex = reader.safe()
      break
    default:
      return false
  }
  return true
}

function readOther(reader: WireReader, tag: number, swap: Swap): void {
  switch (tag) {
    case 11 << 3:
      swap.fee = reader.uint64()
      break
    case 12 << 3:
      swap.feeBps = reader.safe()
      break
    case 13 << 3:
      swap.creatorFee = reader.uint64()
      break
    case 14 << 3:
      swap.creatorFeeBps = reader.safe()
      break
    case 16 << 3:
      swap.virtualSolReserves = reader.uint64()
      break
    case 17 << 3:
      swap.virtualTokenReserves = reader.uint64()
      break
    case 18 << 3:
      swap.realSolReserves = reader.uint64()
      break
    case 19 << 3:
      swap.realTokenReserves = reader.uint64()
      break
    case 22 << 3:
      swap.cashback = reader.uint64()
      break
    case 23 << 3:
      swap.cashbackBps = reader.safe()
      break
    case 26 << 3:
      swap.timeSource = reader.safe()
      break
    case 27 << 3:
      swap.agentTrade = reader.safe()
      break
    case (28 << 3) | DOUBLE:
      swap.poolPrice = reader.double()
      break
    case (29 << 3) | DOUBLE:
      swap.priceBefore = reader.double()
      break
    case (30 << 3) | DOUBLE:
      swap.priceAfter = reader.double()
      break
    // Computed here: what a producer says is read past, but must be what readers of FEED can read.
    case PRICE_IMPACT_FIELD << 3:
      reader.sint64()
      break
    case WALLET_TAGS_FIELD << 3:
      reader.uint64()
      break
    default:
      passBy(reader, tag)
  }
}

/** Reads past a field of a swap. Throws WireError. */
export function passBy(reader: WireReader, tag: number): void {
  const expected = WIRE_TYPES[tag >>> 3]
  if (expected !== undefined && expected !== (tag & 7)) throw wrongWireType(tag, expected)
  reader.skip(tag & 7)
}
