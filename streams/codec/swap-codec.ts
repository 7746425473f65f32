/**
 * A Swap's fields in protobuf (proto/swaptide/v1/event.proto, message Swap). Zero is not written.
 *
 * Decision: docs/decisions/0015-hand-written-codec-one-shape.md
 */
import type { Swap } from '../../domain/events/swap.ts'
import type { DexId } from '../../domain/venue.ts'
import { type WireReader, type WireWriter, wireTypes, wrongWireType } from './protobuf.ts'
import { SWAP } from './tags.ts'

export function writeSwap(to: WireWriter, swap: Swap): void {
  to.ascii(SWAP.signature, swap.signature)
  to.integer(SWAP.slot, swap.slot)
  to.integer(SWAP.timestamp, swap.timestamp)
  to.ascii(SWAP.tokenAddress, swap.tokenAddress)
  to.ascii(SWAP.pairAddress, swap.pairAddress)
  to.ascii(SWAP.user, swap.user)
  to.integer(SWAP.isBuy, swap.isBuy ? 1 : 0)
  to.integer(SWAP.dex, swap.dex)
  to.integer(SWAP.solAmount, swap.solAmount)
  to.integer(SWAP.tokenAmount, swap.tokenAmount)
  to.integer(SWAP.fee, swap.fee)
  to.integer(SWAP.feeBps, swap.feeBps)
  to.integer(SWAP.creatorFee, swap.creatorFee)
  to.integer(SWAP.creatorFeeBps, swap.creatorFeeBps)
  to.integer(SWAP.quoteDecimals, swap.quoteDecimals)
  to.integer(SWAP.virtualSolReserves, swap.virtualSolReserves)
  to.integer(SWAP.virtualTokenReserves, swap.virtualTokenReserves)
  to.integer(SWAP.realSolReserves, swap.realSolReserves)
  to.integer(SWAP.realTokenReserves, swap.realTokenReserves)
  to.integer(SWAP.transferFeeIn, swap.transferFeeIn)
  to.integer(SWAP.transferFeeOut, swap.transferFeeOut)
  to.integer(SWAP.cashback, swap.cashback)
  to.integer(SWAP.cashbackBps, swap.cashbackBps)
  to.integer(SWAP.blockTxIndex, swap.blockTxIndex)
  to.integer(SWAP.ixIndex, swap.ixIndex)
  to.integer(SWAP.timeSource, swap.timeSource)
  to.integer(SWAP.agentTrade, swap.agentTrade)
  if (swap.poolPrice !== undefined) to.double(SWAP.poolPrice, swap.poolPrice)
  if (swap.priceBefore !== undefined) to.double(SWAP.priceBefore, swap.priceBefore)
  if (swap.priceAfter !== undefined) to.double(SWAP.priceAfter, swap.priceAfter)
  if (swap.virtualQuoteReserves !== undefined) {
    to.optionalInteger(SWAP.virtualQuoteReserves, swap.virtualQuoteReserves)
  }
  if (swap.blockhash !== undefined) to.ascii(SWAP.blockhash, swap.blockhash)
  if (swap.outsideProtocolBps !== undefined) {
    to.optionalInteger(SWAP.outsideProtocolBps, swap.outsideProtocolBps)
  }
  if (swap.outsideCreatorBps !== undefined) {
    to.optionalInteger(SWAP.outsideCreatorBps, swap.outsideCreatorBps)
  }
}

/** By field number: the expected wire type; undefined for unknown fields. */
const WIRE_TYPES: readonly (number | undefined)[] = wireTypes(SWAP)

/** All fields, always in this order: the engine reads objects of one shape without looking up where a field lies. */
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
  virtualQuoteReserves: undefined,
  outsideProtocolBps: undefined,
  outsideCreatorBps: undefined,
  blockhash: undefined,
})

/** The swap up to the reader's end. Throws WireError. */
export function readSwap(reader: WireReader): Swap {
  const swap = emptySwap()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case SWAP.signature:
        swap.signature = reader.ascii()
        break
      case SWAP.tokenAddress:
        swap.tokenAddress = reader.ascii()
        break
      case SWAP.pairAddress:
        swap.pairAddress = reader.ascii()
        break
      case SWAP.user:
        swap.user = reader.ascii()
        break
      default:
        if (!readTraded(reader, tag, swap)) readOther(reader, tag, swap)
    }
  }
  return swap
}

/** Fields of a swap that move a position, without its names. */
type Traded = Pick<
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

/** Reads one of the trade's fields; returns false for any other tag. Throws WireError. */
export function readTraded(reader: WireReader, tag: number, swap: Traded): boolean {
  switch (tag) {
    case SWAP.slot:
      swap.slot = reader.safe()
      break
    case SWAP.timestamp:
      swap.timestamp = reader.safe()
      break
    case SWAP.isBuy:
      swap.isBuy = reader.safe() !== 0
      break
    case SWAP.dex:
      swap.dex = reader.safe() as DexId
      break
    case SWAP.solAmount:
      swap.solAmount = reader.uint64()
      break
    case SWAP.tokenAmount:
      swap.tokenAmount = reader.uint64()
      break
    case SWAP.quoteDecimals:
      swap.quoteDecimals = reader.safe()
      break
    case SWAP.transferFeeIn:
      swap.transferFeeIn = reader.uint64()
      break
    case SWAP.transferFeeOut:
      swap.transferFeeOut = reader.uint64()
      break
    case SWAP.blockTxIndex:
      swap.blockTxIndex = reader.safe()
      break
    case SWAP.ixIndex:
      swap.ixIndex = reader.safe()
      break
    default:
      return false
  }
  return true
}

function readOther(reader: WireReader, tag: number, swap: Swap): void {
  switch (tag) {
    case SWAP.fee:
      swap.fee = reader.uint64()
      break
    case SWAP.feeBps:
      swap.feeBps = reader.safe()
      break
    case SWAP.creatorFee:
      swap.creatorFee = reader.uint64()
      break
    case SWAP.creatorFeeBps:
      swap.creatorFeeBps = reader.safe()
      break
    case SWAP.virtualSolReserves:
      swap.virtualSolReserves = reader.uint64()
      break
    case SWAP.virtualTokenReserves:
      swap.virtualTokenReserves = reader.uint64()
      break
    case SWAP.realSolReserves:
      swap.realSolReserves = reader.uint64()
      break
    case SWAP.realTokenReserves:
      swap.realTokenReserves = reader.uint64()
      break
    case SWAP.cashback:
      swap.cashback = reader.uint64()
      break
    case SWAP.cashbackBps:
      swap.cashbackBps = reader.safe()
      break
    case SWAP.timeSource:
      swap.timeSource = reader.safe()
      break
    case SWAP.agentTrade:
      swap.agentTrade = reader.safe()
      break
    case SWAP.poolPrice:
      swap.poolPrice = reader.double()
      break
    case SWAP.priceBefore:
      swap.priceBefore = reader.double()
      break
    case SWAP.priceAfter:
      swap.priceAfter = reader.double()
      break
    case SWAP.virtualQuoteReserves:
      swap.virtualQuoteReserves = reader.uint64()
      break
    case SWAP.blockhash:
      swap.blockhash = reader.ascii()
      break
    case SWAP.outsideProtocolBps:
      swap.outsideProtocolBps = reader.safe()
      break
    case SWAP.outsideCreatorBps:
      swap.outsideCreatorBps = reader.safe()
      break
    // Computed by the worker: a producer's value is ignored, but must be readable for readers of FEED.
    case SWAP.priceImpactBps:
      reader.sint64()
      break
    case SWAP.walletTags:
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
