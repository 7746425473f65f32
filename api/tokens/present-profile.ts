/** What a token is and what is risky about it, as it is shown: the same for REST and GraphQL. Pure. */
import { lamportsToSol, solToUsd, wholeTokens } from '../../streams/amount.ts'
import { checkMint } from '../../streams/mint-check.ts'
import { type DexId, venueOf } from '../../streams/venue.ts'
import { liquiditySol } from '../liquidity.ts'
import type { OnchainFound } from '../onchain.ts'
import { percentOf } from './present.ts'
import type { Intel, OriginRow, OverviewRow, Profile } from './read-profile.ts'
import { type CreatorStake, type RiskFacts, riskOf } from './risk.ts'
import type { IntelAnswer, RiskAnswer } from './schema-profile.ts'

/** Reports no reserves: nobody knows what is in its pools. */
const WITHOUT_RESERVES: DexId = 10

export function presentIntel(mint: string, intel: Intel, computedMs: number): IntelAnswer {
  const { token, overview, spread, first, origins, early, earlyHeld } = intel
  const liquidity = liquidityOf(overview)
  const isHeld = spread.held !== '0'
  return {
    mint,
    symbol: token.symbol,
    name: token.name,
    decimals: token.decimals ?? first?.decimals ?? null,
    supply: token.supply,
    sector: token.sector,
    price_sol: overview.price,
    price_usd: solToUsd(overview.price, overview.sol_usd),
    top_pair: overview.top_pair,
    liquidity_sol: liquidity,
    liquidity_usd: solToUsd(liquidity, overview.sol_usd),
    pool_count: overview.pool_count,
    first_trade_at: first?.atMs ?? null,
    creator: presentCreator(intel),
    first_pool: presentFirstPool(origins, first),
    migration: presentMigration(origins),
    early_buyers: { ...early, held_pct: percentOf(earlyHeld, spread.held) },
    concentration: {
      holder_count: spread.holder_count,
      held_supply: BigInt(spread.held),
      top1_pct: isHeld ? percentOf(spread.top1, spread.held) : null,
      top10_pct: isHeld ? percentOf(spread.top10, spread.held) : null,
      hhi: spread.hhi,
    },
    computed_at: computedMs,
  }
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

function presentFirstPool(
  origins: readonly OriginRow[],
  first: Profile['first'],
): IntelAnswer['first_pool'] {
  const created = origins.find(({ event }) => event === 'created')
  if (created !== undefined) {
    return {
      pair_address: created.pair_address,
      ...venueFields(created.dex),
      created_at: created.timestamp_ms,
      slot: created.slot,
      signature: created.signature,
    }
  }
  if (first === null) return null
  const unknown = { created_at: null, slot: null, signature: null }
  return { pair_address: first.pairAddress, ...venueFields(first.dex), ...unknown }
}

function presentMigration(origins: readonly OriginRow[]): IntelAnswer['migration'] {
  const migrated = origins.find(({ event }) => event === 'migrated')
  if (migrated === undefined) return null
  return {
    pair_address: migrated.pair_address,
    ...venueFields(migrated.dex),
    from_pair: migrated.from_pair,
    migrated_at: migrated.timestamp_ms,
    slot: migrated.slot,
    signature: migrated.signature,
  }
}

function liquidityOf({ dex, last_sol_reserves, migrated_at_ms }: OverviewRow): number | null {
  if (dex === null || last_sol_reserves === null) return null
  return liquiditySol({ dex, last_sol_reserves, migrated_at_ms })
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
  const isSaid = overview.dex !== WITHOUT_RESERVES
  const { newest_ms: newestMs } = overview
  return {
    price: overview.price,
    peak: overview.peak,
    dayOpen: overview.day_open,
    dayClose: overview.day_close,
    liquiditySol: isSaid ? liquidityOf(overview) : null,
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
