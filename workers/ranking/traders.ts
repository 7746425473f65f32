/**
 * Distinct traders of a token in a bucket of time, as a bottom-k sketch (k minimum values). Pure. Wallet ids are
 * mixed by a bijection that acts as their hash, so the smallest are a uniform sample.
 *
 * Law: a sketch holds all wallets while they are at most TRADERS_EXACT, and the count is exact. Else it holds the
 * TRADERS_EXACT smallest mixed ids and the next one as the bound below which it is complete. So a sketch does not
 * depend on the order of trades, and the union of sketches is complete below the smallest of their bounds.
 */

/** Wallets up to which a sketch is exact; beyond, the standard error is 1 / sqrt(1,023): 3.1 %. */
export const TRADERS_EXACT = 1_024

/** Factor of the multiply-xorshift mixing: odd, so that the mixing is a bijection. */
const MIX = 0x45d9f3b
const SPAN = 2 ** 32
const HALF = 2 ** 31

/** The hash of a wallet id, -2^31 to 2^31 - 1; mixed_wallet() in SQL returns the same. */
export function mixedWallet(walletId: number): number {
  let mixed = Math.imul(walletId ^ (walletId >>> 16), MIX)
  mixed = Math.imul(mixed ^ (mixed >>> 16), MIX)
  return mixed ^ (mixed >>> 16)
}

/** `below`: the sketch has all wallets below this bound; absent: all wallets. */
export type TraderSketch = { wallets: Set<number>; below: number | undefined }

/** Trades of one token in one minute or hour. */
export type TraderBucket = {
  readonly tokenId: number
  readonly bucketMs: number
  readonly isHour: boolean
  buyCount: number
  sellCount: number
  buyers: TraderSketch
  sellers: TraderSketch
}

export function emptyBucket(tokenId: number, bucketMs: number, isHour: boolean): TraderBucket {
  const emptySketch = (): TraderSketch => ({ wallets: new Set(), below: undefined })
  const [buyers, sellers] = [emptySketch(), emptySketch()]
  return { tokenId, bucketMs, isHour, buyCount: 0, sellCount: 0, buyers, sellers }
}

/** Adds a trade; returns whether it added a wallet to the sketch. */
export function addTrade(bucket: TraderBucket, isBuy: boolean, mixed: number): boolean {
  if (isBuy) bucket.buyCount += 1
  else bucket.sellCount += 1
  const { wallets, below } = isBuy ? bucket.buyers : bucket.sellers
  if (below !== undefined && mixed >= below) return false
  const before = wallets.size
  return wallets.add(mixed).size > before
}

/** Reduces the sketch to its TRADERS_EXACT smallest wallets, and returns them, ascending. */
export function trimSketch(set: TraderSketch): Int32Array {
  const sorted = new Int32Array(set.wallets.size)
  let count = 0
  for (const wallet of set.wallets) sorted[count++] = wallet
  sorted.sort()
  if (count <= TRADERS_EXACT) return sorted
  set.below = sorted[TRADERS_EXACT]!
  const exact = sorted.subarray(0, TRADERS_EXACT)
  set.wallets = new Set(exact)
  return exact
}

/**
 * Estimated number of wallets where `found` distinct ones lie below a bound, rounded half up; exact without one.
 */
export function estimateDistinct(found: number, below: number | undefined): number {
  return below === undefined ? found : Math.round(found * (SPAN / (below + HALF)))
}
