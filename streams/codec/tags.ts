/**
 * Tags of protobuf fields (number << 3 | wire type), by message and field.
 * Generated from proto/swaptide/v1/*.proto by "npm run generate": do not edit.
 */

export const SWAP = {
  signature: 10,
  slot: 16,
  timestamp: 24,
  tokenAddress: 34,
  pairAddress: 42,
  user: 50,
  isBuy: 56,
  dex: 64,
  solAmount: 72,
  tokenAmount: 80,
  fee: 88,
  feeBps: 96,
  creatorFee: 104,
  creatorFeeBps: 112,
  quoteDecimals: 120,
  virtualSolReserves: 128,
  virtualTokenReserves: 136,
  realSolReserves: 144,
  realTokenReserves: 152,
  transferFeeIn: 160,
  transferFeeOut: 168,
  cashback: 176,
  cashbackBps: 184,
  blockTxIndex: 192,
  ixIndex: 200,
  timeSource: 208,
  agentTrade: 216,
  poolPrice: 225,
  priceBefore: 233,
  priceAfter: 241,
  priceImpactBps: 248,
  walletTags: 256,
  virtualQuoteReserves: 264,
  blockhash: 274,
  outsideProtocolBps: 280,
  outsideCreatorBps: 288,
} as const

export const POOL_EVENT = {
  event: 10,
  signature: 18,
  slot: 24,
  timestamp: 32,
  pairAddress: 42,
  tokenAddress: 50,
  dex: 56,
  blockTxIndex: 64,
  ixIndex: 72,
  creator: 82,
  fromPair: 90,
  solAmount: 96,
  tokenAmount: 104,
  blockhash: 114,
} as const

export const TOKEN = {
  tokenAddress: 10,
  slot: 16,
  creator: 26,
  decimals: 32,
  symbol: 42,
  name: 50,
  supply: 56,
  sector: 66,
  uri: 74,
} as const

export const SLOT_RETRACTION = {
  slot: 8,
  blockhash: 18,
} as const

export const EVENT_BATCH = {
  swap: 10,
  poolEvent: 18,
  token: 26,
  retraction: 34,
} as const

export const FEED_BATCH = {
  swap: 10,
  poolEvent: 18,
  poolLane: 32,
  commitNumber: 40,
  part: 48,
  retractedSwap: 58,
  retractedPoolEvent: 66,
  retractedBlockhash: 74,
} as const

export const SUBSCRIBE_RESPONSE = {
  cursor: 10,
  subscribed: 18,
  swaps: 26,
  heartbeat: 34,
  retraction: 42,
  notice: 50,
  gap: 58,
} as const

export const RETRACTION = {
  swap: 10,
  blockhash: 18,
} as const

export const SWAP_BATCH = {
  n: 8,
  swaps: 18,
} as const

export const STREAMED_SWAP = {
  signature: 10,
  slot: 16,
  timestamp: 24,
  tokenAddress: 34,
  pairAddress: 42,
  user: 50,
  swapType: 58,
  dex: 66,
  solAmount: 72,
  tokenAmount: 80,
  fee: 88,
  feeBps: 96,
  creatorFee: 104,
  creatorFeeBps: 112,
  quoteDecimals: 120,
  virtualSolReserves: 128,
  virtualTokenReserves: 136,
  realSolReserves: 144,
  realTokenReserves: 152,
  transferFeeIn: 160,
  transferFeeOut: 168,
  cashback: 176,
  cashbackBps: 184,
  blockTxIndex: 192,
  ixIndex: 200,
  timeSource: 208,
  agentTrade: 216,
  poolPrice: 225,
  pricePerToken: 233,
  baseDecimals: 240,
} as const
