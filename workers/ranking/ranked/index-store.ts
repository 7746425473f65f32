/** Reads of the ranking index beside trades: facts of tokens and their holders. All from the tables. */

import { exactOf } from '../../../domain/amount.ts'
import { storedSearchKey } from '../../../domain/text/search-key.ts'
import { int4Array } from '../../../sql/binary/arrays.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { HolderPositions, netChanges, shareOf } from '../holders/holder-positions.ts'
import { BuyerBuckets } from '../series/buyer-buckets.ts'
import type { Holding, TokenTrack } from '../series/token-series.ts'

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
type HolderRow = {
  token_id: number
  position_count: number
  holder_count: number
  held: string
  held_by_ten: string
  changes: string | null
}

type HolderPositionRow = {
  token_id: number
  wallet_id: number
  balance: string
  held_changes: number[] | null
}

export const listActiveTokens = query<{ token_id: number }>('ranking/list_active_tokens')
const listTokens = query<TokenRow>('ranking/list_tokens')
const listHoldings = query<HolderRow>('ranking/list_holdings')
const listHolderPositions = query<HolderPositionRow>('ranking/list_holder_positions')
const findHolderPositions = query<HolderPositionRow>('ranking/find_holder_positions')

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

/** The sector as search compares it: its key selects the pages. */
export async function readTokens(db: Queryable, tokenIds: readonly number[]): Promise<TokenRow[]> {
  const rows = await listTokens(db, [int4Array(tokenIds)])
  return rows.map((row) => ({
    ...row,
    sector: row.sector === null ? null : storedSearchKey(row.sector),
  }))
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

/** Holders of tokens, with how many positions were read; tokens without a position are absent. */
export async function readHoldings(
  db: Queryable,
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
export async function readHolderPositions(
  db: Queryable,
  tokenIds: readonly number[],
): Promise<Map<number, HolderPositions>> {
  const holderPositions = new Map<number, HolderPositions>()
  for (const row of await listHolderPositions(db, [int4Array(tokenIds)])) {
    let own = holderPositions.get(row.token_id)
    if (own === undefined) {
      own = new HolderPositions()
      holderPositions.set(row.token_id, own)
    }
    own.put(row.wallet_id, exactOf(row.balance), row.held_changes)
  }
  return holderPositions
}

/** Reads positions of some wallets again, by token. */
export async function readAgain(
  db: Queryable,
  tokens: ReadonlyMap<number, { holderPositions: HolderPositions; wallets: Iterable<number> }>,
): Promise<void> {
  const [walletIds, tokenIds]: [number[], number[]] = [[], []]
  for (const [tokenId, { wallets }] of tokens) {
    for (const walletId of wallets) {
      walletIds.push(walletId)
      tokenIds.push(tokenId)
    }
  }
  const rows = await findHolderPositions(db, [int4Array(walletIds), int4Array(tokenIds)])
  if (rows.length < walletIds.length) {
    for (const { holderPositions, wallets } of tokens.values()) {
      for (const walletId of wallets) holderPositions.remove(walletId)
    }
  }
  for (const row of rows) {
    const { holderPositions } = tokens.get(row.token_id)!
    holderPositions.put(row.wallet_id, exactOf(row.balance), row.held_changes)
  }
}
