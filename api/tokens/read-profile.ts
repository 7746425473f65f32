/**
 * Reads of what a token is: its market, its origins, its first buyers, how it is spread. What intel shows
 * and what risk goes by.
 */
import type { Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { Int64 } from '../../streams/amount.ts'
import { compareSwaps } from '../../streams/swap.ts'
import type { DexId } from '../../streams/venue.ts'
import type { Creation } from '../../streams/wallet-tag.ts'
import { ApiError } from '../error.ts'
import { shown } from '../parameters.ts'
import {
  type EarlyStake,
  earlyBuyersOf,
  FIRST_SWAPS_MAX,
  type TagMix,
  tagMixOf,
} from './early-buyers.ts'
import { readToken, type TokenRow } from './read.ts'

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
  peak: number | null
  day_open: number | null
  day_close: number | null
  pool_count: number
  born_ms: number | null
}
export type OriginRow = {
  event: 'created' | 'migrated'
  pair_address: string
  from_pair: string | null
  dex: DexId
  slot: number
  timestamp_ms: Int64
  signature: string
}
type FirstSwapRow = {
  slot: number
  block_tx_index: number
  ix_index: number
  dex: DexId
  is_buy: boolean
  signature: string
  timestamp_ms: number
  sol_amount: Int64
  token_amount: Int64
  quote_decimals: number
  pair_address: string
  user: string
}
/** Sums are the text of numerics, base units. */
export type SpreadRow = {
  holder_count: number
  held: string
  top1: string
  top10: string
  hhi: number | null
}
export type CreatorRow = {
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
  creator: { wallet: string; stake: CreatorRow | undefined } | null
  first: { atMs: number; pairAddress: string; dex: DexId; decimals: number } | null
}
export type Intel = Profile & {
  origins: OriginRow[]
  early: TagMix
  /** Of the early buyers, base units. */
  earlyHeld: bigint
  mintsCreated: number
}

const readOverview = query<OverviewRow>('tokens/read_overview')
const sumHolders = query<SpreadRow>('tokens/sum_holders')
const listCreations = query<Creation>('tags/list_creations')
const findStake = query<CreatorRow>('tokens/find_stake')
const findSlotRange = query<{ low_slot: number; high_slot: number }>('swaps/find_slot_range')
const listFirstSwaps = query<FirstSwapRow>('tokens/list_first_swaps')
const listOrigins = query<OriginRow>('tokens/list_origins')
const listStakes = query<EarlyStake>('tokens/list_stakes')
const countCreated = query<{ mint_count: number }>('tokens/count_created')

const DAY_MS = 86_400_000

type FirstSwap = ReturnType<typeof swapOf>
type Basis = Profile & { creation: Creation | undefined; firstSwaps: FirstSwap[] }

/** Rejects with NOT_FOUND for a mint of which nothing is indexed. `count`: how many of its first swaps are wanted. */
async function readBasis(db: Queryable, mint: string, count: number): Promise<Basis> {
  const token = await readToken(db, mint)
  const [overview] = token === undefined ? [] : await readOverview(db, [token.id])
  const [spread] = token === undefined ? [] : await sumHolders(db, [token.id])
  if (token === undefined || overview === undefined || spread === undefined) {
    throw new ApiError('NOT_FOUND', `no indexed token "${shown(mint)}"`)
  }
  const [creation] = await listCreations(db, [[token.id], null])
  const wallet = creation?.creator ?? null
  const [stake] = wallet === null ? [] : await findStake(db, [wallet, token.id])
  const firstSwaps = await readFirstSwaps(db, token.id, overview.born_ms, count)
  const creator = wallet === null ? null : { wallet, stake }
  return { token, overview, spread, creator, creation, firstSwaps, first: firstOf(firstSwaps) }
}

export async function readProfile(db: Queryable, mint: string): Promise<Profile> {
  return await readBasis(db, mint, 1)
}

export async function readIntel(db: Queryable, mint: string): Promise<Intel> {
  const basis = await readBasis(db, mint, FIRST_SWAPS_MAX)
  const { token, overview, creation, creator } = basis
  const buyers = earlyBuyersOf(basis.firstSwaps, creation)
  const stakes = await listStakes(db, [token.id, buyers.map(({ wallet }) => wallet)])
  const [created] = creator === null ? [] : await countCreated(db, [creator.wallet])
  return {
    ...basis,
    origins: await listOrigins(db, [token.id]),
    early: tagMixOf(buyers, stakes, overview.price),
    earlyHeld: stakes.reduce((sum, { balance }) => sum + BigInt(balance), 0n),
    mintsCreated: created?.mint_count ?? 0,
  }
}

/** Of the mint's first day, in canonical order as far as the chain's indexes say, with all that tie with the last. */
async function readFirstSwaps(
  db: Queryable,
  tokenId: number,
  bornMs: number | null,
  count: number,
): Promise<FirstSwap[]> {
  if (bornMs === null) return []
  const [slots] = await findSlotRange(db, [bornMs, bornMs + DAY_MS - 1])
  if (slots === undefined) return []
  return (await listFirstSwaps(db, [tokenId, slots.low_slot, slots.high_slot, count])).map(swapOf)
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
    decimals: row.quote_decimals,
  }
}

function firstOf(swaps: readonly FirstSwap[]): Profile['first'] {
  const [first] = swaps.toSorted(compareSwaps)
  if (first === undefined) return null
  const { timestampMs: atMs, pairAddress, dex, decimals } = first
  return { atMs, pairAddress, dex, decimals }
}
