/**
 * How many wallets traded in a window, by the wallets of its buckets. Counting them is most of what a refresh of a busy
 * token does: a day has 1,440 buckets of up to 1,024.
 */

import { estimated } from '../traders.ts'
import type { BuyerRun } from './buyer-buckets.ts'

/** So many cells are compared with each other. */
const FEW = 24
/** Cells of the table for each wallet at least: most find their place at once. */
const ROOM = 2

/** Mixed ids by their own low bits, as evenly spread as a hash of them; 0 is an empty cell. One for all counts. */
let table = new Int32Array(1_024)

/** How many wallets the runs have together. */
export function distinct(runs: readonly BuyerRun[]): number {
  let below: number | undefined
  let [bucketCount, walletCount] = [0, 0]
  for (const run of runs) {
    bucketCount += run.bucketCount
    walletCount += run.to - run.from
    if (run.below !== undefined && (below === undefined || run.below < below)) below = run.below
  }
  if (bucketCount <= 1) return estimated(walletCount, below)
  const found =
    walletCount <= FEW ? distinctOfFew(runs, below) : distinctOfMany(runs, below, walletCount)
  return estimated(found, below)
}

/** A table costs more than it spares here. */
function distinctOfFew(runs: readonly BuyerRun[], below: number | undefined): number {
  const seen: number[] = []
  for (const { cells, from, to } of runs) {
    for (let cell = from; cell < to; cell++) {
      const wallet = cells[cell]!
      if ((below === undefined || wallet < below) && !seen.includes(wallet)) seen.push(wallet)
    }
  }
  return seen.length
}

function distinctOfMany(
  runs: readonly BuyerRun[],
  bound: number | undefined,
  most: number,
): number {
  const below = bound ?? Number.POSITIVE_INFINITY
  const size = 2 ** Math.ceil(Math.log2(ROOM * most))
  if (table.length < size) table = new Int32Array(size)
  else table.fill(0, 0, size)
  const mask = size - 1
  let [found, hasZero] = [0, 0]
  for (const { cells, from, to } of runs) {
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
