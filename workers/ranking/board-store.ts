/** What the board reads: tokens, what their pools did, who bought, who holds. All of it from the tables. */
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { exactOf } from '../../streams/amount.ts'
import type { DexId } from '../../streams/venue.ts'
import { int4Array, int8Array, plainArray } from '../binary-array.ts'
import { BuyerBuckets } from './buyer-buckets.ts'
import { PoolMinutes } from './pool-minutes.ts'
import { netChanges, Stakes, shareOf } from './stakes.ts'
import { cutFrom, type Holding, type TokenTrack } from './track.ts'
import { MINUTE_MS, mixedWallet } from './traders.ts'

const HOUR_MINUTES = 60
const TOKENS_AT_ONCE = 1_000
const PAGES_AT_ONCE = 2

export type TokenRow = {
  token_id: number
  mint: string
  sector: string | null
  first_ms: number
  creator_id: number | null
  has_creator: boolean
}
type MinuteRow = {
  token_id: number
  pool_id: number
  pair_address: string
  dex: number
  minute: number
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  volume_lamports: string
  trade_count: number
}
type BuyerRow = { token_id: number; at: number; buyers: number[]; buyers_below: number | null }
type BuyerMinuteRow = BuyerRow & { creator_may_have_sold: boolean }
type SaleRow = { token_id: number; minute: number; lamports: string }
type HolderRow = {
  token_id: number
  position_count: number
  holder_count: number
  held: string
  held_by_ten: string
  changes: string | null
}

type StakeRow = {
  token_id: number
  wallet_id: number
  balance: string
  held_changes: number[] | null
}

export const listActiveTokens = query<{ token_id: number }>('ranking/list_active_tokens')
const listTokens = query<TokenRow>('ranking/list_tokens')
const listMinutes = query<MinuteRow>('ranking/list_minutes')
const listBuyerMinutes = query<BuyerMinuteRow>('ranking/list_buyer_minutes')
const listBuyerHours = query<BuyerRow>('ranking/list_buyer_hours')
const listCreatorSales = query<SaleRow>('ranking/list_creator_sales')
const listHoldings = query<HolderRow>('ranking/list_holdings')
const listStakes = query<StakeRow>('ranking/list_stakes')
const findStakes = query<StakeRow>('ranking/find_stakes')

/** Does what is to be done for tokens, a page at a time: while one is taken in here the database reads the next. */
export async function byPages(
  tokenIds: readonly number[],
  work: (page: readonly number[]) => Promise<void>,
): Promise<void> {
  let from = 0
  const reader = async (): Promise<void> => {
    while (from < tokenIds.length) {
      const page = tokenIds.slice(from, from + TOKENS_AT_ONCE)
      from += TOKENS_AT_ONCE
      await work(page)
    }
  }
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, reader))
}

export function readTokens(db: Db, tokenIds: readonly number[]): Promise<TokenRow[]> {
  return listTokens(db, [int4Array(tokenIds)])
}

export function emptyTrack(row: TokenRow): TokenTrack {
  return {
    tokenId: row.token_id,
    mint: row.mint,
    sector: row.sector,
    creatorId: row.creator_id,
    firstMs: row.first_ms,
    pools: new Map(),
    buyerMinutes: new BuyerBuckets(),
    buyerHours: new BuyerBuckets(),
    creatorSales: [],
    holding: undefined,
  }
}

/** Reads again what tracks did from a minute on. */
export async function readFrom(
  db: Db,
  tracks: readonly TokenTrack[],
  minute: number,
): Promise<void> {
  if (tracks.length === 0) return
  const byId = new Map(tracks.map((track) => [track.tokenId, track]))
  const ids = int4Array([...byId.keys()])
  const creators = tracks.map(({ creatorId }) =>
    creatorId === null ? null : mixedWallet(creatorId),
  )
  const hour = Math.floor(minute / HOUR_MINUTES) * HOUR_MINUTES
  const [minutes, buyers, hours] = await Promise.all([
    listMinutes(db, [ids, minute * MINUTE_MS]),
    listBuyerMinutes(db, [ids, plainArray(creators), minute * MINUTE_MS]),
    listBuyerHours(db, [ids, hour * MINUTE_MS]),
  ])
  const suspects = buyers.filter((row) => row.creator_may_have_sold)
  const sales = await readSales(db, suspects, byId)
  for (const track of tracks) cutFrom(track, minute)
  for (const row of minutes) addMinute(byId.get(row.token_id)!, row)
  for (const row of buyers) addBuyers(byId.get(row.token_id)!.buyerMinutes, row)
  for (const row of hours) addBuyers(byId.get(row.token_id)!.buyerHours, row)
  for (const row of sales) {
    const sale = { minute: row.minute, lamports: exactOf(row.lamports) }
    byId.get(row.token_id)!.creatorSales.push(sale)
  }
}

async function readSales(
  db: Db,
  suspects: readonly BuyerMinuteRow[],
  byId: ReadonlyMap<number, TokenTrack>,
): Promise<SaleRow[]> {
  if (suspects.length === 0) return []
  const times = suspects.map((row) => row.at * MINUTE_MS)
  return listCreatorSales(db, [
    int4Array(suspects.map((row) => row.token_id)),
    int4Array(suspects.map((row) => byId.get(row.token_id)!.creatorId!)),
    int8Array(times),
    times.reduce((a, b) => Math.min(a, b)),
    times.reduce((a, b) => Math.max(a, b)),
  ])
}

function addMinute(track: TokenTrack, row: MinuteRow): void {
  let pool = track.pools.get(row.pool_id)
  const dex = row.dex as DexId
  if (pool === undefined) {
    pool = { poolId: row.pool_id, pair: row.pair_address, dex, minutes: new PoolMinutes() }
    track.pools.set(row.pool_id, pool)
  }
  pool.dex = dex
  pool.minutes.push({
    minute: row.minute,
    open: row.open,
    high: row.high,
    low: row.low,
    close: row.close,
    volume: exactOf(row.volume_lamports),
    trades: row.trade_count,
  })
}

function addBuyers(buckets: BuyerBuckets, row: BuyerRow): void {
  buckets.push(row.at, row.buyers, row.buyers_below)
}

/** Holders of tokens, with how many positions were read; tokens without a position are absent. */
export async function readHoldings(
  db: Db,
  tokenIds: readonly number[],
  fromMinute: number,
): Promise<Map<number, { holding: Holding; positions: number }>> {
  const rows = await listHoldings(db, [int4Array(tokenIds)])
  return new Map(
    rows.map((row) => [
      row.token_id,
      {
        positions: row.position_count,
        holding: {
          now: row.holder_count,
          top10Share: shareOf(row.held_by_ten, row.held),
          changes: netChanges(JSON.parse(`[${row.changes ?? ''}]`), fromMinute),
        },
      },
    ]),
  )
}

/** All positions of tokens; tokens without one are absent. */
export async function readStakes(
  db: Db,
  tokenIds: readonly number[],
): Promise<Map<number, Stakes>> {
  const stakes = new Map<number, Stakes>()
  for (const row of await listStakes(db, [int4Array(tokenIds)])) {
    let own = stakes.get(row.token_id)
    if (own === undefined) {
      own = new Stakes()
      stakes.set(row.token_id, own)
    }
    own.put(row.wallet_id, exactOf(row.balance), row.held_changes)
  }
  return stakes
}

/** Reads positions of some wallets again, by token. */
export async function readAgain(
  db: Db,
  tokens: ReadonlyMap<number, { stakes: Stakes; wallets: Iterable<number> }>,
): Promise<void> {
  const [walletIds, tokenIds]: [number[], number[]] = [[], []]
  for (const [tokenId, { wallets }] of tokens) {
    for (const walletId of wallets) {
      walletIds.push(walletId)
      tokenIds.push(tokenId)
    }
  }
  const rows = await findStakes(db, [int4Array(walletIds), int4Array(tokenIds)])
  if (rows.length < walletIds.length) {
    for (const { stakes, wallets } of tokens.values()) {
      for (const walletId of wallets) stakes.remove(walletId)
    }
  }
  for (const row of rows) {
    const { stakes } = tokens.get(row.token_id)!
    stakes.put(row.wallet_id, exactOf(row.balance), row.held_changes)
  }
}
