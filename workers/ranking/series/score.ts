/** The trending score of a token in a window (docs/semantics.md#trending-score). Pure. */
import { lamportsToSol } from '../../../domain/amount.ts'
import type { TrendingParts } from '../../../domain/ranking.ts'

/** Both accelerations of a token without a swap before the window. */
const FAST_RISER = 2.5

export type ScoreInputs = {
  minutes: number
  /** Volume of the window, and of the preceding window of the same width. */
  volumeLamports: number | bigint
  volumeBefore: number | bigint
  buyers: number
  buyersBefore: number
  /** The token has no swap before the window. */
  isNew: boolean
  creatorSoldLamports: number | bigint
  holders: HolderCounts | undefined
}

/** Holders by the ledger: now, at the beginning of the window, and the share of the ten largest in all balances. */
type HolderCounts = { now: number; atStart: number; top10Share: number }

export function trendingParts(inputs: ScoreInputs): TrendingParts {
  const { minutes, buyers, buyersBefore, isNew, holders } = inputs
  const volume = lamportsToSol(inputs.volumeLamports)
  const before = lamportsToSol(inputs.volumeBefore)
  const sold = lamportsToSol(inputs.creatorSoldLamports)
  return [
    Math.log(1 + volume / minutes),
    Math.log(1 + buyers),
    isNew ? FAST_RISER : clamp((volume - before) / Math.max(before, 1), -1, 5),
    isNew ? FAST_RISER : clamp((buyers - buyersBefore) / Math.max(buyersBefore, 1), -1, 5),
    Math.min(2, (4 * sold) / Math.max(volume, 1)),
    holderGrowth(holders),
    holders === undefined || holders.now === 0 ? null : 2 * Math.max(0, holders.top10Share - 0.5),
  ]
}

/** Null where the token has no holder now and had none before. */
function holderGrowth(holders: HolderCounts | undefined): number | null {
  if (holders === undefined || (holders.now === 0 && holders.atStart === 0)) return null
  const { now, atStart } = holders
  return clamp((now - atStart) / Math.max(atStart, 10), -1, 2)
}

export function trendingScore(parts: TrendingParts): number {
  const [velocity, buyers, acceleration, buyerAcceleration, devSell, growth, top10] = parts
  return (
    0.9 * velocity +
    1.1 * buyers +
    0.6 * acceleration +
    0.6 * buyerAcceleration +
    0.5 * (growth ?? 0) -
    devSell -
    (top10 ?? 0)
  )
}

const clamp = (value: number, least: number, greatest: number): number =>
  Math.min(greatest, Math.max(least, value))
