/**
 * Reads holders of tokens from the positions: aggregated by the database, all positions, or those of some wallets.
 */

import { exactOf } from '../../../domain/amount.ts'
import { int4Array } from '../../../sql/binary/arrays.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { HolderStats } from '../series/token-series.ts'
import { HolderPositions, netChanges, shareOf } from './holder-positions.ts'

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

const listHoldings = query<HolderRow>('ranking/list_holdings')
const listHolderPositions = query<HolderPositionRow>('ranking/list_holder_positions')
const findHolderPositions = query<HolderPositionRow>('ranking/find_holder_positions')

/** Aggregated holders, and the number of positions read; tokens without a position are absent. */
export async function readHolderStats(
  db: Queryable,
  tokenIds: readonly number[],
  fromMinute: number,
): Promise<Map<number, { holderStats: HolderStats; positions: number }>> {
  const rows = await listHoldings(db, [int4Array(tokenIds)])
  return new Map(
    rows.map((row) => [
      row.token_id,
      {
        positions: row.position_count,
        holderStats: {
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

/** Updates the cached positions of some wallets; a position that is not stored is removed. */
export async function rereadPositions(
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
