/**
 * Traders of a token in a bucket of time. Pure. Wallets are mixed ids (see mixedWallet), so that the
 * least of them are a fair sample.
 *
 * Law: a set holds all of its wallets while they are at most TRADERS_EXACT; of more it holds the least
 * TRADERS_EXACT and the bound that they lie below, the least that is left out. Trimmed so, it is the same
 * whatever came when, and so is the union of any sets, as far as the least of their bounds.
 */

/** Wallets of a set up to which it is exact; beyond, the standard error is 1 / sqrt(1,023): 3.1 %. */
export const TRADERS_EXACT = 1_024

/** The odd factor of a mixing that is its own kind of permutation: distinct ids stay distinct. */
const MIX = 0x45d9f3b
const SPAN = 2 ** 32
const HALF = 2 ** 31

/** A wallet's place, -2^31 to 2^31 - 1; mixed_wallet() in SQL is equal. */
export function mixedWallet(walletId: number): number {
  let mixed = Math.imul(walletId ^ (walletId >>> 16), MIX)
  mixed = Math.imul(mixed ^ (mixed >>> 16), MIX)
  return mixed ^ (mixed >>> 16)
}

/** `below` absent: all wallets are here. */
export type TraderSet = { wallets: Set<number>; below: number | undefined }

/** Trades of one token in one minute or hour. */
export type TraderBucket = {
  readonly tokenId: number
  readonly bucketMs: number
  readonly isHour: boolean
  buyCount: number
  sellCount: number
  buyers: TraderSet
  sellers: TraderSet
}

export function emptyBucket(tokenId: number, bucketMs: number, isHour: boolean): TraderBucket {
  const nobody = (): TraderSet => ({ wallets: new Set(), below: undefined })
  const [buyers, sellers] = [nobody(), nobody()]
  return { tokenId, bucketMs, isHour, buyCount: 0, sellCount: 0, buyers, sellers }
}

/** Whether the bucket has another wallet by it. */
export function addTrade(bucket: TraderBucket, isBuy: boolean, mixed: number): boolean {
  if (isBuy) bucket.buyCount += 1
  else bucket.sellCount += 1
  const { wallets, below } = isBuy ? bucket.buyers : bucket.sellers
  if (below !== undefined && mixed >= below) return false
  const before = wallets.size
  return wallets.add(mixed).size > before
}

/** The wallets that remain, ascending; all others are removed from the set. */
export function trimmed(set: TraderSet): Int32Array {
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

/** How many there are, where `found` distinct ones were found below a bound: rounded, a half up. */
export function estimated(found: number, below: number | undefined): number {
  return below === undefined ? found : Math.round(found * (SPAN / (below + HALF)))
}
