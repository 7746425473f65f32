/**
 * Reads a token's profile: its market, origin, first buyers and distribution. Used by intel and risk.
 */

import type { Int64 } from '../../../domain/amount.ts'
import { compareSwaps } from '../../../domain/events/swap.ts'
import type { DexId } from '../../../domain/venue.ts'
import {
  type EarlyRow,
  type FirstSwapRow,
  listEarlySwaps,
  listFirstSwaps,
} from '../../../history/swaps/tokens.ts'
import { inOnePiece } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { ApiError } from '../../routing/error.ts'
import { shown } from '../../routing/parameters.ts'
import {
  EARLY_BUYERS_MAX,
  type EarlyBuyer,
  type EarlyStake,
  earlyBuyersOf,
  FIRST_SWAPS_MAX,
  type TagMix,
  tagMixOf,
} from './early-buyers.ts'
import type { TokenRow } from './read.ts'

export type OverviewRow = {
  /** SOL a whole token. */
  price: number | null
  price_ms: number | null
  /** US dollars a SOL. */
  sol_usd: number | null
  newest_ms: number | null
  top_pair: string | null
  dex: DexId | null
  last_sol_reserves: Int64 | null
  migrated_at_ms: number | null
  last_virtual_quote_reserves: Int64 | null
  peak: number | null
  day_open: number | null
  day_close: number | null
  pool_count: number
}
/** Null: the pair of a mint without an event, and the creation where no source reported it. */
export type FirstPoolRow = {
  first_pair: string | null
  first_dex: DexId
  created_ms: Int64 | null
  created_slot: number | null
  created_signature: string | null
}
/** The pair is null where none of the pools migrated. */
export type MigrationRow = {
  migrated_pair: string | null
  migrated_dex: DexId
  migrated_from: string | null
  migrated_ms: Int64
  migrated_slot: number
  migrated_signature: string
}
type OriginsRow = { mint_count: number } & FirstPoolRow & MigrationRow
/** Sums are the text of numerics, base units. */
export type SpreadRow = {
  holder_count: number
  held: string
  top1: string
  top10: string
  /** Sum of their squares; null without a holder. */
  squares: string | null
}
/** Columns of the position are null where the creator never traded the mint, or there is none. */
type CreationRow = {
  creator: string | null
  creation_slot: number | null
  creation_signature: string | null
  creator_balance: string | null
  creator_decimals: number
  creator_buys_lamports: string
  creator_sells_lamports: string
}
/** Facts from two sources, each null where that source has none. */
export type ConflictingFact = {
  line_decimals: number | null
  swap_decimals: number | null
  line_creator: string | null
  event_creator: string | null
}
/** The creation, and the slots that hold every swap of the first day: null where it never traded. */
export type BirthRow = Pick<CreationRow, 'creator' | 'creation_slot' | 'creation_signature'> & {
  low_slot: number | null
  high_slot: number | null
}
type ProfileRow = TokenRow & OverviewRow & SpreadRow & CreationRow & ConflictingFact & BirthRow
/** Holding of a creator in base units and lamports. */
type CreatorHolding = {
  balance: string
  decimals: number
  buys_lamports: string
  sells_lamports: string
}

export type Profile = {
  token: TokenRow
  overview: OverviewRow
  spread: SpreadRow
  /** The stake is undefined where the creator never traded the mint. */
  creator: { wallet: string; stake: CreatorHolding | undefined } | null
  first: { atMs: number } | null
}
export type Intel = Profile & {
  facts: ConflictingFact
  origins: FirstPoolRow & MigrationRow
  early: TagMix
  /** Balance of the early buyers in base units. */
  earlyHeld: bigint
  mintsCreated: number
}

const readProfileRow = query<ProfileRow>('tokens/read_profile')
const readOrigins = query<OriginsRow>('tokens/read_origins')

type FirstSwap = ReturnType<typeof swapOf>

/** Rejects with NOT_FOUND for a mint of which nothing is indexed. */
async function findProfile(db: Queryable, mint: string): Promise<ProfileRow> {
  const [row] = await readProfileRow(db, [mint])
  if (row === undefined) throw new ApiError('NOT_FOUND', `no indexed token "${shown(mint)}"`)
  return row
}

function profileOf(row: ProfileRow, firstSwaps: readonly FirstSwap[]): Profile {
  return {
    token: row,
    overview: row,
    spread: row,
    creator: row.creator === null ? null : { wallet: row.creator, stake: creatorStakeOf(row) },
    first: firstOf(firstSwaps),
  }
}

function creatorStakeOf(row: CreationRow): CreatorHolding | undefined {
  const { creator_balance: balance } = row
  if (balance === null) return undefined
  return {
    balance,
    decimals: row.creator_decimals,
    buys_lamports: row.creator_buys_lamports,
    sells_lamports: row.creator_sells_lamports,
  }
}

/** Rejects with NOT_FOUND for a mint of which nothing is indexed. */
export async function readProfile(db: Queryable, mint: string): Promise<Profile> {
  const row = await findProfile(db, mint)
  const { id, low_slot: lowSlot, high_slot: highSlot } = row
  // With all that tie with the first.
  const swaps =
    lowSlot === null ? [] : await listFirstSwaps(db, id, { low: lowSlot, high: highSlot })
  return profileOf(row, swaps.map(swapOf))
}

/** An early buyer and its first buy. */
export type FirstBuy = EarlyBuyer & { swap: FirstSwap }

/** The first wallets to buy, in order. Rejects with NOT_FOUND for a mint of which nothing is indexed. */
export async function readFirstBuys(db: Queryable, mint: string): Promise<FirstBuy[]> {
  return firstBuysOf(db, await findProfile(db, mint))
}

/** The first wallets to buy a token, in order. */
export async function firstBuysOf(
  db: Queryable,
  row: BirthRow & { id: number },
): Promise<FirstBuy[]> {
  const swaps = (await readEarly(db, row)).map(swapOf).sort(compareSwaps)
  return earlyBuyersOf(swaps, creationOf(row)).flatMap((buyer) => {
    const swap = swaps.find(({ isBuy, user }) => isBuy && user === buyer.wallet)
    return swap === undefined ? [] : [{ ...buyer, swap }]
  })
}

/** Rejects with NOT_FOUND for a mint of which nothing is indexed. */
export async function readIntel(db: Queryable, mint: string): Promise<Intel> {
  const row = await findProfile(db, mint)
  const [rows, [origins]] = await inOnePiece(db, () =>
    Promise.all([readEarly(db, row), readOrigins(db, [row.id, row.creator])]),
  )
  const firstSwaps = rows.map(swapOf)
  const buyers = earlyBuyersOf(firstSwaps, creationOf(row))
  const positions = positionsOf(buyers, rows)
  return {
    ...profileOf(row, firstSwaps),
    facts: row,
    origins: origins!,
    early: tagMixOf(buyers, positions, row.price),
    earlyHeld: positions.reduce((sum, { balance }) => sum + BigInt(balance), 0n),
    mintsCreated: origins!.mint_count,
  }
}

const creationOf = (row: BirthRow) => ({
  creator: row.creator,
  slot: row.creation_slot,
  signature: row.creation_signature,
})

/** Reads the first swaps of the mint that identify its early buyers. */
async function readEarly(
  db: Queryable,
  { id, low_slot: lowSlot, high_slot: highSlot, creation_slot: slot }: BirthRow & { id: number },
): Promise<EarlyRow[]> {
  if (lowSlot === null) return []
  const limits = { rows: FIRST_SWAPS_MAX, wallets: EARLY_BUYERS_MAX, oneSlot: slot }
  return listEarlySwaps(db, id, { low: lowSlot, high: highSlot, ...limits })
}

function positionsOf(buyers: readonly EarlyBuyer[], rows: readonly EarlyRow[]): EarlyStake[] {
  const byWallet = new Map(rows.map((row) => [row.user, row]))
  return buyers.flatMap(({ wallet }) => {
    const row = byWallet.get(wallet)
    return row === undefined || row.balance === null
      ? []
      : [{ ...row, wallet, balance: row.balance }]
  })
}

function swapOf(row: FirstSwapRow) {
  return {
    slot: row.slot,
    blockTxIndex: row.block_tx_index,
    ixIndex: row.ix_index,
    dex: row.dex,
    isBuy: row.is_buy,
    signature: row.signature,
    pairAddress: row.pair_address,
    user: row.user,
    solAmount: row.sol_amount,
    tokenAmount: row.token_amount,
    timestampMs: row.timestamp_ms,
  }
}

function firstOf(swaps: readonly FirstSwap[]): Profile['first'] {
  const [first] = swaps.toSorted(compareSwaps)
  if (first === undefined) return null
  return { atMs: first.timestampMs }
}
