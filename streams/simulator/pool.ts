/**
 * A pool of the market: where it trades, by which mechanism, and how its crowd leans. Opening one
 * is here, a function per way in.
 */

import { LAMPORTS_PER_SOL } from '../../domain/amount.ts'
import {
  type DexId,
  MIGRATION_CORRECTION_FROM_MS,
  MIGRATION_CORRECTION_LAMPORTS,
  venueOf,
} from '../../domain/venue.ts'
import { drawAddress } from './base58-draw.ts'
import type { Mint, Pool } from './listing.ts'
import type { Prng } from './prng.ts'
import { Concentrated } from './venues/concentrated.ts'
import { ConstantProduct } from './venues/constant-product.ts'
import { BondingCurve, CURVE_CREATOR_FEE_BPS } from './venues/curve.ts'
import { HiddenPrice } from './venues/hidden-price.ts'
import { LAUNCH_CREATOR_FEE_BPS, LinearLaunch } from './venues/launch.ts'
import type { Mechanism } from './venues/mechanism.ts'

const VENUE_2_FEE_BPS = 20
const INPUT_FEE_BPS = 25
/** A pool opens with at most this share of all tokens. */
const DEPTH_SHARE_MAX = 0.2
const CONCENTRATED_FEES_BPS = [5, 25, 30, 100] as const
/** Retained from a curve's SOL when it migrates. */
const MIGRATION_FEE_LAMPORTS = 15_000_000n
/** Tokens (6 decimals) that a migrated pool starts with. */
const MIGRATED_TOKEN = 206_900_000_000_000n

type Opening = Pick<Pool, 'dex' | 'mint' | 'mechanism'> &
  Partial<Pick<Pool, 'creatorFeeBps' | 'cashbackBps' | 'appetite'>>

function openPool(prng: Prng, opening: Opening): Pool {
  return {
    pairAddress: drawAddress(prng),
    dex: opening.dex,
    mint: opening.mint,
    mechanism: opening.mechanism,
    creatorFeeBps: opening.creatorFeeBps ?? 0,
    cashbackBps: opening.cashbackBps ?? 0,
    openingPrice: opening.mechanism.price(),
    openingDepth: opening.mechanism.depthLamports(),
    appetite: opening.appetite ?? 0.52,
  }
}

/** A new token's curve on venue 1, or its launch pool on venue 8. */
export function openLaunch(prng: Prng, dex: 1 | 8, mint: Mint, isHot: boolean): Pool {
  const appetite = isHot ? 0.8 : 0.45 + 0.1 * prng.unit()
  return dex === 1
    ? openPool(prng, {
        dex,
        mint,
        mechanism: new BondingCurve(),
        creatorFeeBps: CURVE_CREATOR_FEE_BPS,
        appetite,
      })
    : openPool(prng, {
        dex,
        mint,
        mechanism: new LinearLaunch(mint.decimals),
        creatorFeeBps: LAUNCH_CREATOR_FEE_BPS,
        appetite,
      })
}

type Migration = { readonly pool: Pool; readonly sol: bigint; readonly token: bigint }

/** The venue 2 pool that a completed curve becomes. From the cut-over on it reports too little. */
export function openMigrated(prng: Prng, curve: BondingCurve, mint: Mint, atMs: number): Migration {
  const sol = curve.realSol() - MIGRATION_FEE_LAMPORTS
  const unreportedSol =
    atMs >= MIGRATION_CORRECTION_FROM_MS ? BigInt(MIGRATION_CORRECTION_LAMPORTS) : 0n
  const mechanism = new ConstantProduct({
    sol,
    token: MIGRATED_TOKEN,
    feeBps: VENUE_2_FEE_BPS,
    feeSide: 'sol',
    unreportedSol,
  })
  const pool = openPool(prng, {
    dex: 2,
    mint,
    mechanism,
    cashbackBps: drawCashback(prng),
  })
  return { pool, sol, token: MIGRATED_TOKEN }
}

function drawCashback(prng: Prng): number {
  return prng.chance(0.25) ? prng.pick([5, 10, 25]) : 0
}

type Listing = {
  readonly dex: DexId
  readonly mint: Mint
  /** Lamports per base unit. */
  readonly price: number
  readonly depthSol: number
}

/** A pool of a token that is known already, at a price and of a depth. */
export function openListing(prng: Prng, listing: Listing): Pool {
  return openPool(prng, {
    dex: listing.dex,
    mint: listing.mint,
    mechanism: listingMechanism(prng, listing),
    cashbackBps: listing.dex === 2 ? drawCashback(prng) : 0,
  })
}

function listingMechanism(prng: Prng, listing: Listing): Mechanism {
  const { price, mint } = listing
  const depthMax =
    mint.supply === undefined ? Infinity : Number(mint.supply) * price * DEPTH_SHARE_MAX
  const lamports = Math.floor(Math.min(listing.depthSol * LAMPORTS_PER_SOL, depthMax))
  const { dex, kind } = venueOf(listing.dex)
  switch (kind) {
    case 'constant_product':
      return new ConstantProduct({
        sol: BigInt(lamports),
        token: BigInt(Math.floor(lamports / price)) + 1n,
        feeBps: dex === 2 ? VENUE_2_FEE_BPS : INPUT_FEE_BPS,
        feeSide: dex === 2 ? 'sol' : 'input',
      })
    case 'concentrated_liquidity': {
      const feeBps = prng.pick(CONCENTRATED_FEES_BPS)
      return new Concentrated({ price, depthLamports: 4 * lamports, feeBps })
    }
    case 'no_reserves':
      return new HiddenPrice(prng, price, 2 * lamports)
    case 'bonding_curve':
    case 'launch':
      throw new RangeError(`venue ${dex}: expected a venue on which a token is listed`)
    default:
      return kind satisfies never
  }
}
