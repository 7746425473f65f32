/**
 * Reads of the ledger before it folds: positions, sealed lots. Reading needs no transaction: a lane has
 * one writer, and one that lost its lane fails at its commit.
 */

import { emptyPosition } from '../../domain/ledger/position.ts'
import { int4Array } from '../../sql/binary/arrays.ts'
import type { Db } from '../../sql/db.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { type Cover, type Holding, holdingKey, holdingName, type PositionName } from './holding.ts'
import { type PositionRow, positionOfRow } from './rows/position-row.ts'

type ChunkRow = { wallet_id: number; token_id: number; chunk: number; lots: Buffer }

const loadPositionRows = query<PositionRow>('ledger/load_positions')
const loadChunks = query<ChunkRow>('ledger/load_chunks')
const findPending = query<{ wallet_id: number; token_id: number }>('ledger/find_pending')
const listPoolCommits = query<{ lane: number; commit_number: number }>('ledger/list_pool_commits')

const FROM_THE_FIRST = { base: undefined, after: undefined, wasLate: false }

export type NamedPosition = PositionName & { user: string }

/** Positions as the last commit left them; one without a row is empty. */
export async function loadHoldings(db: Db, names: readonly NamedPosition[]): Promise<Holding[]> {
  if (names.length === 0) return []
  const rows = await loadPositionRows(db, pairs(names))
  const known = new Map(
    rows.map((row) => [holdingKey({ walletId: row.wallet_id, tokenId: row.token_id }), row]),
  )
  return names.map(({ walletId, tokenId, user }) => {
    const row = known.get(holdingKey({ walletId, tokenId }))
    return {
      walletId,
      tokenId,
      state: row === undefined ? emptyPosition() : positionOfRow(row, user),
      isNew: row === undefined,
      isPending: false,
      cover: undefined,
      snapshots: [],
      recent: row === undefined ? { ...FROM_THE_FIRST, swaps: [] } : undefined,
    }
  })
}

/** Marks the positions that wait for a recompute. */
export async function markPending(db: Db, holdings: readonly Holding[]): Promise<void> {
  if (holdings.length === 0) return
  const rows = await findPending(db, pairs(holdings))
  const pending = new Set(
    rows.map((row) => holdingKey({ walletId: row.wallet_id, tokenId: row.token_id })),
  )
  for (const holding of holdings) holding.isPending = pending.has(holdingKey(holding))
}

export type Hunger = { holding: Holding; quantity: bigint }

/** Chunks of a position that are read at once, at most: 3 kB each. */
const CHUNKS_MAX = 256

/**
 * Brings the sealed lots into memory that sells of these quantities may consume: of each position one chunk,
 * then twice as many with every look, so that one which sells a million lots is not read chunk by chunk.
 */
export async function supplyLots(db: Db, hungers: readonly Hunger[]): Promise<void> {
  for (let [left, max] = [hungers, 1]; ; max = Math.min(CHUNKS_MAX, 2 * max)) {
    const missing = left.flatMap((hunger) => {
      const chunks = hunger.holding.state.lots.missingChunks(hunger.quantity, max)
      return chunks.length === 0 ? [] : [{ ...hunger, chunks }]
    })
    if (missing.length === 0) return
    const wanted = missing.flatMap(({ holding, chunks }) =>
      chunks.map((chunk) => ({ holding, chunk })),
    )
    const rows = await loadChunks(db, [
      ...pairs(wanted.map(({ holding }) => holding)),
      wanted.map(({ chunk }) => chunk),
    ])
    const found = new Map(
      rows.map((row) => [
        `${holdingName({ walletId: row.wallet_id, tokenId: row.token_id })} ${row.chunk}`,
        row,
      ]),
    )
    for (const { holding, chunk } of wanted) {
      const row = found.get(`${holdingName(holding)} ${chunk}`)
      if (row === undefined) {
        throw new Error(`chunk ${chunk} of the lots of ${holdingName(holding)} is missing`)
      }
      holding.state.lots.supply({ chunk, bytes: row.lots })
    }
    left = missing
  }
}

/** The newest commit of every pool lane: to be read before the swaps are. */
export async function readCover(db: Queryable): Promise<Cover> {
  const cover: number[] = []
  for (const row of await listPoolCommits(db)) cover[row.lane] = row.commit_number
  return cover
}

/** Wallet and mint columns of positions, as parameters. */
export const pairs = (names: readonly PositionName[]): [Buffer, Buffer] => [
  int4Array(names.map((name) => name.walletId)),
  int4Array(names.map((name) => name.tokenId)),
]
