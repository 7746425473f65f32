/**
 * Risk of a token: named factors, each with the evidence that it goes by, and a score of 0..100
 * that is their sum, at most 100. Pure.
 *
 * A factor with unknown evidence has no points: unknown is neither safe nor unsafe. All weights and bounds are in
 * this file.
 */

import type { MintCheck } from '../../../chain/accounts/mint-check.ts'
import { divideSigned, lamportsToSol } from '../../../domain/amount.ts'
import { isRugged } from '../../../domain/ranking.ts'
import { HOUR_MS } from '../../../domain/time/time-bucket.ts'

export type RiskFacts = {
  /** SOL a whole token: now, and the highest ever of the top pool; null without a priced trade. */
  price: number | null
  peak: number | null
  /** First and last price of 24 hours; null without one. */
  dayOpen: number | null
  dayClose: number | null
  /** Both sides of the top pool; null where no pool has reserves. */
  liquiditySol: number | null
  tradedPools: number
  /** Since the first indexed swap, to the newest of all. */
  ageMs: number | null
  holderCount: number
  /** Base units of all holders, and of the ten largest. */
  held: bigint
  top10: bigint
  creator: CreatorStake | null
  /** Null: not known. */
  checks: readonly MintCheck[] | null
}

export type CreatorStake = {
  wallet: string
  balance: bigint
  sellsLamports: bigint
  /** Value of the remaining balance; null without a price. */
  valueSol: number | null
}

export const RISK_FACTORS = [
  'rugged',
  'fallen_from_peak',
  'top10_concentration',
  'creator_holds',
  'creator_sold',
  'single_pool',
  'low_liquidity',
  'few_holders',
  'fresh_mint',
  'mint_authority',
  'freeze_authority',
  'token_extensions',
] as const
export type RiskFactorName = (typeof RISK_FACTORS)[number]

export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const
type RiskLevel = (typeof RISK_LEVELS)[number]

type Evidence = Record<string, number | bigint | string | boolean | null | string[]>
type RiskFactor = {
  name: RiskFactorName
  /** Null: not known. */
  points: number | null
  max_points: number
  evidence: Evidence
}
type Risk = { score: number; level: RiskLevel; factors: RiskFactor[] }

/** How much of a factor's points there are, 0..1; null: not known. */
type Weighed = { share: number | null; evidence: Evidence }
type Rule = { points: number; weigh: (facts: RiskFacts) => Weighed }

export const SCORE_MAX = 100
/** Least scores of medium, high and critical. */
export const LEVELS_FROM = [25, 50, 75]

const RULES: Readonly<Record<RiskFactorName, Rule>> = {
  rugged: { points: 40, weigh: weighRug },
  fallen_from_peak: { points: 10, weigh: weighFall },
  top10_concentration: { points: 20, weigh: weighTop10 },
  creator_holds: { points: 10, weigh: weighCreatorHolds },
  creator_sold: { points: 15, weigh: weighCreatorSold },
  single_pool: {
    points: 5,
    weigh: ({ tradedPools }) => ({
      share: tradedPools === 0 ? null : Number(tradedPools === 1),
      evidence: { traded_pools: tradedPools },
    }),
  },
  low_liquidity: {
    points: 15,
    weigh: ({ liquiditySol }) => ({
      share: liquiditySol === null ? null : ramp(liquiditySol, 200, 10),
      evidence: { liquidity_sol: liquiditySol },
    }),
  },
  few_holders: {
    points: 10,
    weigh: ({ holderCount }) => ({
      share: ramp(holderCount, 200, 20),
      evidence: { holder_count: holderCount },
    }),
  },
  fresh_mint: {
    points: 10,
    weigh: ({ ageMs }) => ({
      share: ageMs === null ? null : ramp(ageMs / HOUR_MS, 72, 1),
      evidence: { age_hours: ageMs === null ? null : ageMs / HOUR_MS },
    }),
  },
  mint_authority: { points: 15, weigh: weighCheck('mint_authority_revoked') },
  freeze_authority: { points: 10, weigh: weighCheck('freeze_authority_revoked') },
  token_extensions: { points: 20, weigh: weighExtensions },
}

export function riskOf(facts: RiskFacts): Risk {
  const factors = RISK_FACTORS.map((name): RiskFactor => {
    const { points, weigh } = RULES[name]
    const { share, evidence } = weigh(facts)
    return { name, points: share === null ? null : points * share, max_points: points, evidence }
  })
  const sum = factors.reduce((total, { points }) => total + (points ?? 0), 0)
  const score = Math.min(SCORE_MAX, Math.round(sum))
  const level = RISK_LEVELS[LEVELS_FROM.filter((least) => score >= least).length] ?? 'critical'
  return { score, level, factors }
}

/** 0 at `none` and before it, 1 at `full` and beyond, whichever of the two is larger. */
function ramp(value: number, none: number, full: number): number {
  return Math.min(1, Math.max(0, (value - none) / (full - none)))
}

function weighRug({ dayOpen: open, dayClose: close }: RiskFacts): Weighed {
  if (open === null || close === null) return { share: null, evidence: { open: null, close: null } }
  return { share: Number(isRugged(open, close)), evidence: { open, close, window: '24h' } }
}

/** Nothing until half of the highest price is lost, all from 95 % on. */
function weighFall({ price, peak }: RiskFacts): Weighed {
  if (price === null || peak === null || peak <= 0) {
    return { share: null, evidence: { price, peak } }
  }
  const fallen = Math.max(0, (1 - price / peak) * 100)
  return { share: ramp(fallen, 50, 95), evidence: { price, peak, fallen_pct: fallen } }
}

function weighTop10({ held, top10, holderCount }: RiskFacts): Weighed {
  if (held === 0n) return { share: null, evidence: { top10_pct: null, holder_count: holderCount } }
  const percent = divideSigned(top10 * 100n, held)
  return {
    share: ramp(percent, 30, 80),
    evidence: { top10_pct: percent, holder_count: holderCount },
  }
}

const UNKNOWN_CREATOR: Weighed = { share: null, evidence: { creator: null } }

function weighCreatorHolds({ creator, held }: RiskFacts): Weighed {
  if (creator === null) return UNKNOWN_CREATOR
  const percent = held === 0n ? 0 : divideSigned(creator.balance * 100n, held)
  const evidence = { creator: creator.wallet, balance_atomic: creator.balance, held_pct: percent }
  return { share: ramp(percent, 5, 30), evidence }
}

/** Share of SOL received for sold tokens in the total of sold and remaining tokens of the creator. */
function weighCreatorSold({ creator }: RiskFacts): Weighed {
  if (creator === null) return UNKNOWN_CREATOR
  const soldSol = lamportsToSol(creator.sellsLamports)
  const evidence = { creator: creator.wallet, sold_sol: soldSol, left_sol: creator.valueSol }
  if (creator.valueSol === null) return { share: null, evidence: { ...evidence, sold_pct: null } }
  const whole = soldSol + creator.valueSol
  const percent = whole === 0 ? 0 : (soldSol / whole) * 100
  return { share: ramp(percent, 25, 100), evidence: { ...evidence, sold_pct: percent } }
}

function weighCheck(name: MintCheck['name']): Rule['weigh'] {
  return ({ checks }) => {
    const check = checks?.find((each) => each.name === name)
    if (check === undefined) return { share: null, evidence: { holder: null } }
    return { share: Number(!check.passed), evidence: { holder: check.detail } }
  }
}

const AUTHORITIES: ReadonlySet<MintCheck['name']> = new Set([
  'mint_authority_revoked',
  'freeze_authority_revoked',
])

/** Powers that an extension of Token-2022 gives over those who hold the token. */
function weighExtensions({ checks }: RiskFacts): Weighed {
  if (checks === null) return { share: null, evidence: { failed_checks: null } }
  const failed = checks.filter(({ name, passed }) => !passed && !AUTHORITIES.has(name))
  const evidence = { failed_checks: failed.map(({ name }) => name) }
  return { share: Number(failed.length > 0), evidence }
}
