/**
 * A Swap's fields in protobuf (proto/swaptide/v1/event.proto, message Swap). Zero is not written.
 */
import type { Swap } from './swap.ts'
import type { DexId } from './venue.ts'
import { type FieldTable, readFields, type WireReader, type WireWriter } from './wire.ts'

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

const SWAP_FIELDS: FieldTable<Swap> = [
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
  [
    0,
    // Computed here: what a producer says is read past, but must be what readers of FEED can read.
    (r) => {
      r.sint64()
    },
  ],
  [
    0,
    (r) => {
      r.uint64()
    },
  ],
]

export const readSwap = (reader: WireReader): Swap => readFields(reader, emptySwap(), SWAP_FIELDS)

/** What a field of a swap must come as; undefined for one that is not known. */
export const swapFieldWireType = (field: number): number | undefined => SWAP_FIELDS[field]?.[0]
