/** Renders profile and risk of a token for REST and GraphQL. Pure. */

import { checkMint } from '../../../chain/accounts/mint-check.ts'
import { divideSigned, lamportsToSol, solToUsd, wholeTokens } from '../../../domain/amount.ts'
import { nameFlags } from '../../../domain/text/name-flags.ts'
import { type DexId, reportsReserves, venueOf } from '../../../domain/venue.ts'
import { liquiditySol } from '../pairs/liquidity.ts'
import type { OnchainFound } from './onchain.ts'
import { percentOf } from './present.ts'
import type {
  ConflictingFact,
  FirstPoolRow,
  Intel,
  MigrationRow,
  OverviewRow,
  Profile,
  SpreadRow,
} from './read-profile.ts'
import { type CreatorStake, type RiskFacts, riskOf } from './risk.ts'
import type { IntelAnswer, RiskAnswer } from './schema-profile.ts'

export function presentIntel(mint: string, intel: Intel, computedMs: number): IntelAnswer {
  const { token, overview, spread, first, origins, early, earlyHeld } = intel
  const liquidity = liquidityOf(overview)
  const isHeld = spread.held !== '0'
  return {
    mint,
    symbol: token.symbol,
    name: token.name,
    name_flags: nameFlags(token.symbol, token.name),
    decimals: token.decimals,
    metadata_conflicts: metadataConflicts(intel.facts),
    supply: token.supply,
    sector: token.sector,
    uri: token.uri,
    image: token.image,
    price_sol: overview.price,
    price_usd: solToUsd(overview.price, overview.sol_usd),
    top_pair: overview.top_pair,
    liquidity_sol: liquidity,
    liquidity_usd: solToUsd(liquidity, overview.sol_usd),
    pool_count: overview.pool_count,
    first_trade_at: first?.atMs ?? null,
    creator: presentCreator(intel),
    first_pool: presentFirstPool(origins),
    migration: presentMigration(origins),
    early_buyers: { ...early, held_pct: percentOf(earlyHeld, spread.held) },
    concentration: {
      holder_count: spread.holder_count,
      held_supply: BigInt(spread.held),
      top1_pct: isHeld ? percentOf(spread.top1, spread.held) : null,
      top10_pct: isHeld ? percentOf(spread.top10, spread.held) : null,
      hhi: hhiOf(spread),
    },
    computed_at: computedMs,
  }
}

/** Herfindahl-Hirschman: the sum of squared shares, 0..1, by one division of exact sums. */
function hhiOf({ held, squares }: SpreadRow): number | null {
  return squares === null ? null : divideSigned(squares, BigInt(held) ** 2n)
}

/** Swaps count before the token line, the line before the `created` event. */
function metadataConflicts(facts: ConflictingFact): IntelAnswer['metadata_conflicts'] {
  const { line_decimals, swap_decimals, line_creator, event_creator } = facts
  const conflicts: IntelAnswer['metadata_conflicts'] = []
  if (line_decimals !== null && swap_decimals !== null && line_decimals !== swap_decimals) {
    conflicts.push({
      field: 'decimals',
      shown: String(swap_decimals),
      shown_source: 'newest_swap',
      ignored: String(line_decimals),
      ignored_source: 'token_line',
    })
  }
  if (line_creator !== null && event_creator !== null && line_creator !== event_creator) {
    conflicts.push({
      field: 'creator',
      shown: line_creator,
      shown_source: 'token_line',
      ignored: event_creator,
      ignored_source: 'created_event',
    })
  }
  return conflicts
}

function presentCreator({ creator, spread, mintsCreated }: Intel): IntelAnswer['creator'] {
  if (creator === null) return null
  const { wallet, stake } = creator
  return {
    wallet,
    mints_created: mintsCreated,
    held_pct: percentOf(stake?.balance ?? '0', spread.held),
    total_buys_sol: lamportsToSol(stake?.buys_lamports ?? '0'),
    total_sells_sol: lamportsToSol(stake?.sells_lamports ?? '0'),
  }
}

const venueFields = (dex: DexId) => ({ dex, protocol: venueOf(dex).name })

function presentFirstPool(row: FirstPoolRow): IntelAnswer['first_pool'] {
  if (row.first_pair === null) return null
  return {
    pair_address: row.first_pair,
    ...venueFields(row.first_dex),
    created_at: row.created_ms,
    slot: row.created_slot,
    signature: row.created_signature,
  }
}

function presentMigration(row: MigrationRow): IntelAnswer['migration'] {
  if (row.migrated_pair === null) return null
  return {
    pair_address: row.migrated_pair,
    ...venueFields(row.migrated_dex),
    from_pair: row.migrated_from,
    migrated_at: row.migrated_ms,
    slot: row.migrated_slot,
    signature: row.migrated_signature,
  }
}

function liquidityOf({ dex, last_sol_reserves, ...unreported }: OverviewRow): number | null {
  if (dex === null || last_sol_reserves === null) return null
  return liquiditySol({ ...unreported, dex, last_sol_reserves })
}

export function presentRisk(
  mint: string,
  profile: Profile,
  found: OnchainFound,
  computedMs: number,
): RiskAnswer {
  const risk = riskOf(factsOf(profile, found))
  return { mint, ...risk, onchain_status: found.kind, computed_at: computedMs }
}

function factsOf(profile: Profile, found: OnchainFound): RiskFacts {
  const { overview, spread, first } = profile
  const isReported = overview.dex === null || reportsReserves(overview.dex)
  const { newest_ms: newestMs } = overview
  return {
    price: overview.price,
    peak: overview.peak,
    dayOpen: overview.day_open,
    dayClose: overview.day_close,
    liquiditySol: isReported ? liquidityOf(overview) : null,
    tradedPools: overview.pool_count,
    ageMs: first === null || newestMs === null ? null : Math.max(0, newestMs - first.atMs),
    holderCount: spread.holder_count,
    held: BigInt(spread.held),
    top10: BigInt(spread.top10),
    creator: creatorOf(profile),
    checks: found.kind === 'mint' ? checkMint(found.account) : null,
  }
}

/** A creator who never traded the mint has none of it and sold none. */
function creatorOf({ creator, overview }: Profile): CreatorStake | null {
  if (creator === null) return null
  const { wallet, stake } = creator
  if (stake === undefined) return { wallet, balance: 0n, sellsLamports: 0n, valueSol: 0 }
  const balance = BigInt(stake.balance)
  const { price } = overview
  const isPriced = price !== null || balance === 0n
  return {
    wallet,
    balance,
    sellsLamports: BigInt(stake.sells_lamports),
    valueSol: isPriced ? wholeTokens(balance, stake.decimals) * (price ?? 0) : null,
  }
}
