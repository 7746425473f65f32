/**
 * The one scenario of all documentation examples: a token that began on a bonding curve trades on the venue that it
 * migrated to; a wallet buys it and sells some of it five minutes later. Pure.
 *
 * Derived figures are computed as responses compute them, so that the examples are consistent.
 */
import {
  divideSigned,
  executedPrice,
  lamportsToSol,
  pricePerToken,
  reservePrice,
  wholeTokens,
} from '../../domain/amount.ts'
import { DAY_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { VENUES, type Venue } from '../../domain/venue.ts'

const firstOf = (isWanted: (venue: Venue) => boolean): Venue => {
  const found = VENUES.find(isWanted)
  if (found === undefined)
    throw new RangeError('the examples need a curve and a venue to migrate to')
  return found
}
/** Venues of the curve and of the pool that it migrated to. */
export const CURVE_VENUE = firstOf(({ kind }) => kind === 'bonding_curve')
export const POOL_VENUE = firstOf(({ unreportedSol }) => unreportedSol !== undefined)

export const MINT = 'FCuk4XWLR6fAJFTcQoMrm3KeywSt2X6wK4Ufh4Xjpump'
export const SYMBOL = 'EXAM'
export const NAME = 'Example Token'
export const OTHER_MINT = 'GbyBhKnLL3rdL16sacpDpArriAqoL5a5gcxxmUQZAqGc'
export const PAIR = '7qbRF6YsyGuLUVs6Y1q64bdVrfe4ZcUUz1JRdoVNUJnm'
/** The bonding curve that the pool migrated from. */
export const CURVE = '9fbt64APipnCQGKyY5PjZYfKw4HkAnESEmupLZhuUiwG'
export const WALLET = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'
export const CREATOR = 'G7EvNb4ErNUPu6LdFgEvGAcfuUi6vTtBzPF6zwiUjU2F'
/** Signature of the buy. */
export const SIGNATURE =
  '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'
export const SALE =
  '51d1qjov7q8hPThdNHoHjzZt9QHRf9GGZ1Yhi5gw5ERL6gBZNZ6DxVj7mkvKqry39UQJvzReWss7TPanifWj3Pje'
export const CREATION =
  '5qHn3D7k4b2afcArAw3VnN4map8UjoyfP6rxzDbWk2S2Ctu3ZVscZdXE4viXMsRWnjPzB8EYyT831ZVfXp4JSDGx'
export const MIGRATION =
  '4HCxBwvpVSj1Qe5hpCSKL2Si22oQqiBGXTCQpdVx1B5NweGkiFJug85RDEYMapqeYgEiGduzjq8CKaWGmqd3hL5j'

export const BUY_MS = Date.UTC(2026, 7, 1, 12)
export const SALE_MS = BUY_MS + 5 * MINUTE_MS
/** When answers were put together. */
export const NOW_MS = SALE_MS + MINUTE_MS
export const CREATION_MS = BUY_MS - 60 * DAY_MS
export const MIGRATION_MS = BUY_MS - 40 * DAY_MS
export const DAY = '2026-08-01'
export const NEXT_DAY = '2026-08-02'
export const BUY_SLOT = 437_211_004
export const SALE_SLOT = BUY_SLOT + 750
/** A block that left the chain. */
export const LEFT_BLOCK = {
  slot: BUY_SLOT - 1,
  blockhash: '5bCNJfT2m3yDoYPXiZJMNyw4SFGKw3BUnLPwFVqHa3fo',
}

/** US dollars a SOL. */
const RATE = 150
export const usdOf = (sol: number): number => sol * RATE

const DECIMALS = 6
const BOUGHT = 145_277_568_755
const SOLD = 50_000_000_000
const PAID_LAMPORTS = 60_000_000_000
const PROCEEDS_LAMPORTS = 21_500_000_000

/** The buy: the pool held 2,000 SOL and 5,000,000 tokens before it. */
export const SWAP = {
  signature: SIGNATURE,
  slot: BUY_SLOT,
  timestamp: BUY_MS,
  token_address: MINT,
  pair_address: PAIR,
  user: WALLET,
  is_buy: true,
  dex: POOL_VENUE.dex,
  sol_amount: PAID_LAMPORTS,
  token_amount: BOUGHT,
  fee: 150_000_000,
  fee_bps: 25,
  creator_fee: 0,
  creator_fee_bps: 0,
  price_per_token: pricePerToken(PAID_LAMPORTS, BOUGHT),
  pool_price: reservePrice(2_060_000_000_000, 5_000_000_000_000 - BOUGHT, DECIMALS),
  price_impact_bps: 325,
  base_decimals: 9,
  quote_decimals: DECIMALS,
  virtual_sol_reserves: 0,
  virtual_token_reserves: 0,
  real_sol_reserves: 2_060_000_000_000,
  real_token_reserves: 5_000_000_000_000 - BOUGHT,
  transfer_fee_in: 0,
  transfer_fee_out: 0,
  cashback: 0,
  cashback_bps: 0,
  block_tx_index: 812,
  ix_index: 0,
  time_source: 0,
  agent_trade: 0,
} as const

/** The pool's first event. */
export const MIGRATED = {
  event: 'migrated',
  signature: MIGRATION,
  slot: 428_571_220,
  timestamp: MIGRATION_MS,
  pair_address: PAIR,
  token_address: MINT,
  dex: POOL_VENUE.dex,
  block_tx_index: 305,
  ix_index: 0,
  creator: CREATOR,
  from_pair: CURVE,
  sol_amount: null,
  token_amount: null,
} as const

/** The reserve after the sale, both sides. */
export const LIQUIDITY_SOL = lamportsToSol(2 * (SWAP.real_sol_reserves - PROCEEDS_LAMPORTS))
/** Price of the newest trade, the sale, in SOL per whole token. */
export const PRICE_SOL = executedPrice(PROCEEDS_LAMPORTS, SOLD, DECIMALS)

const LEFT = BOUGHT - SOLD
const soldCost = Number((BigInt(PAID_LAMPORTS) * BigInt(SOLD)) / BigInt(BOUGHT))
const leftCost = PAID_LAMPORTS - soldCost
const realized = PROCEEDS_LAMPORTS - soldCost
const value = wholeTokens(LEFT, DECIMALS) * PRICE_SOL

/** Position after the two trades, in base units, lamports and SOL. */
export const POSITION = {
  decimals: DECIMALS,
  bought: BOUGHT,
  sold: SOLD,
  left: LEFT,
  quantity: wholeTokens(LEFT, DECIMALS),
  paidLamports: PAID_LAMPORTS,
  proceedsLamports: PROCEEDS_LAMPORTS,
  soldCostLamports: soldCost,
  leftCostLamports: leftCost,
  realizedLamports: realized,
  paidSol: lamportsToSol(PAID_LAMPORTS),
  proceedsSol: lamportsToSol(PROCEEDS_LAMPORTS),
  costSol: lamportsToSol(leftCost),
  realizedSol: lamportsToSol(realized),
  rawSol: lamportsToSol(PROCEEDS_LAMPORTS - PAID_LAMPORTS),
  averageCost: divideSigned(BigInt(leftCost) * 10n ** 6n, BigInt(LEFT) * 10n ** 9n),
  valueSol: value,
  unrealizedSol: value - lamportsToSol(leftCost),
  heldSeconds: (SALE_MS - BUY_MS) / 1_000,
} as const
