/**
 * Distinct count of the wallets of a window, from the bottom-k sketches of its buckets (traders.ts): exact where all
 * sketches are complete, else an estimate. Counting dominates the refresh of a busy token: a day has 1,440 sketches of up
 * to 1,024 wallets.
 */

import { estimateDistinct } from '../traders.ts'
import type { BuyerSlice } from './buyer-buckets.ts'

/** Up to so many cells, comparing all pairs is cheaper than a hash table. */
const FEW = 24
/** Slots of the hash table for each wallet, at least: few wallets then collide. */
const SLOTS_PER_WALLET = 2

/**
 * Hash table with linear probing, reused by all counts; 0 is an empty slot. A mixed wallet id is its own hash, because
 * mixing spreads its low bits evenly.
 */
let table = new Int32Array(1_024)

/** Distinct wallets of all slices together. */
export function distinct(slices: readonly BuyerSlice[]): number {
  let below: number | undefined
  let [bucketCount, walletCount] = [0, 0]
  for (const slice of slices) {
    bucketCount += slice.bucketCount
    walletCount += slice.to - slice.from
    const bound = slice.below
    if (bound !== undefined && (below === undefined || bound < below)) below = bound
  }
  if (bucketCount <= 1) return estimateDistinct(walletCount, below)
  const found =
    walletCount <= FEW ? distinctOfFew(slices, below) : distinctOfMany(slices, below, walletCount)
  return estimateDistinct(found, below)
}

function distinctOfFew(slices: readonly BuyerSlice[], below: number | undefined): number {
  const seen: number[] = []
  for (const { cells, from, to } of slices) {
    for (let cell = from; cell < to; cell++) {
      const wallet = cells[cell]!
      if ((below === undefined || wallet < below) && !seen.includes(wallet)) seen.push(wallet)
    }
  }
  return seen.length
}

function distinctOfMany(
  slices: readonly BuyerSlice[],
  bound: number | undefined,
  walletCount: number,
): number {
  const below = bound ?? Number.POSITIVE_INFINITY
  const size = 2 ** Math.ceil(Math.log2(SLOTS_PER_WALLET * walletCount))
  if (table.length < size) table = new Int32Array(size)
  else table.fill(0, 0, size)
  const mask = size - 1
  let [found, hasZero] = [0, 0]
  for (const { cells, from, to } of slices) {
    for (let cell = from; cell < to; cell++) {
      const wallet = cells[cell]!
      if (wallet >= below) continue
      if (wallet === 0) {
        hasZero = 1
        continue
      }
      let slot = wallet & mask
      while (table[slot] !== wallet && table[slot] !== 0) slot = (slot + 1) & mask
      if (table[slot] === 0) {
        table[slot] = wallet
        found += 1
      }
    }
  }
  return found + hasZero
}
