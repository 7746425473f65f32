/**
 * Reads of the pool actor before it folds: interned ids, pools' states, swaps and pool events that
 * are known, neighbours of late arrivals. Reading needs no transaction: a lane has one writer, and one
 * that lost its lane fails at its commit.
 */

import type { Int64 } from '../../domain/amount.ts'
import type { PoolEvent } from '../../domain/events/pool-event.ts'
import { type PoolEventRow, poolEventOfRow, swapOfRow } from '../../domain/events/stored-row.ts'
import type { Swap } from '../../domain/events/swap.ts'
import { hashSignature, pairHash, signatureHash } from '../../domain/numbers/signature-hash.ts'
import { counted } from '../../domain/text/plural.ts'
import type { DexId } from '../../domain/venue.ts'
import { knownSealed } from '../../history/sealed/state.ts'
import { listNeighbours } from '../../history/swaps/pools.ts'
import {
  findSealedSignatures,
  findSignatures,
  listKnownSwaps,
  type SignatureRow,
} from '../../history/swaps/signatures.ts'
import { int8ArrayOfHalves } from '../../sql/binary/arrays.ts'
import { allInOrder, type Db, onConnection } from '../../sql/db.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import type { IdCache } from '../runtime/ids/id-cache.ts'
import type { PoolName } from './by-pool.ts'
import type { AdjacentPair, LateProbe, StoredNeighbour } from './impact/late.ts'
import { StoredAlready } from './look-up.ts'
import type { PoolState } from './pool-state.ts'

const findLiquidityBetween = query<{ is_disturbed: boolean }>('pool/find_liquidity_between')
const listKnownPoolEvents = query<PoolEventRow>('pool/list_known_pool_events')
const loadPoolRows = query<PoolRow>('pool/load_pools')
const insertTokens = query('pool/insert_tokens')
const insertPools = query('pool/insert_pools')
const internWalletRows = query<{ id: number; address: string }>('pool/intern_wallets')

type PoolRow = {
  id: number
  pair_address: string
  token_address: string
  dex: number | null
  swap_count: number
  last_slot: number | null
  last_block_tx_index: number
  last_ix_index: number
  last_timestamp_ms: number
  last_is_buy: boolean
  last_signature: string
  last_user: string
  last_sol_amount: Int64
  last_token_amount: Int64
  last_sol_reserves: Int64
  last_token_reserves: Int64
  last_price_after: number | null
  corrected_pool_price: number
  newest_ms: number | null
  last_price: number | null
  last_price_ms: number
  first_slot: number | null
  last_quote_decimals: number
  last_virtual_quote_reserves: Int64 | null
  migration_slot: number | null
  migration_block_tx_index: number
  migration_ix_index: number
  migration_signature: string
  migration_timestamp_ms: number
  migration_from_pair: string
  liquidity_positions: [number, number, number][] | null
}

export type Known = {
  /** The stored swaps that have the signature and the pair of one of these. */
  swaps: Swap[]
  /** The rows that they are found by. */
  signatures: SignatureRow[]
}

export async function loadKnownSwaps(db: Db, swaps: readonly Swap[]): Promise<Known> {
  const signatures = await loadSignatures(db, swaps)
  if (signatures.length === 0) return { swaps: [], signatures }
  const chainPositions = [
    ...new Map(signatures.map((row) => [`${row.slot} ${row.block_tx_index}`, row])).values(),
  ]
  const texts = [...new Set(swaps.map((swap) => swap.signature))]
  const rows = await listKnownSwaps(db, chainPositions, texts)
  return { swaps: rows.map(swapOfRow), signatures }
}

/**
 * The stored signatures of the very pairs that swaps are of. Most swaps with a stored signature are the other half of
 * an arbitrage, in another pool: these need no look-up in `swap`.
 */
async function loadSignatures(db: Db, swaps: readonly Swap[]): Promise<SignatureRow[]> {
  if (swaps.length === 0) return []
  const hashes = new Int32Array(2 * swaps.length)
  for (let index = 0; index < swaps.length; index++) {
    hashSignature(swaps[index]!.signature, hashes, 2 * index)
  }
  const [hot, old] = await Promise.all([
    findSignatures(db, int8ArrayOfHalves(hashes)),
    loadSealedSignatures(db, swaps),
  ])
  const stored = [...hot, ...old]
  if (stored.length === 0) return []
  const bySignature = Map.groupBy(stored, (row) => BigInt(row.signature_hash))
  const known = new Set<SignatureRow>()
  for (const { signature, pairAddress } of swaps) {
    const rows = bySignature.get(signatureHash(signature))
    if (rows === undefined) continue
    const pair = pairHash(pairAddress)
    for (const row of rows) if (row.pair_hash === pair) known.add(row)
  }
  return [...known]
}

/** Signatures of swaps of sealed slots: the chain has no transaction twice, hours apart. */
async function loadSealedSignatures(db: Db, swaps: readonly Swap[]): Promise<SignatureRow[]> {
  const { lastSlot } = await knownSealed(db)
  const old = swaps.filter(({ slot }) => slot <= lastSlot)
  if (old.length === 0) return []
  return findSealedSignatures(
    db,
    old.map(({ signature }) => signatureHash(signature)),
  )
}

/** Rejects with StoredAlready when a swap of these signatures and pairs is stored. */
export async function assertUnknown(db: Db, swaps: readonly Swap[]): Promise<void> {
  const stored = await loadSignatures(db, swaps)
  if (stored.length > 0)
    throw new StoredAlready(`already stored: ${counted(stored.length, 'signature')}`)
}

/** The stored pool events that have one of these signatures. */
export async function loadKnownPoolEvents(
  db: Db,
  events: readonly PoolEvent[],
): Promise<PoolEvent[]> {
  if (events.length === 0) return []
  const rows = await listKnownPoolEvents(db, [events.map((event) => event.signature)])
  return rows.map(poolEventOfRow)
}

/**
 * The ids of the wallets of swaps; new ones are interned, without waiting for the disk: a commit that uses such an id
 * follows it in the write-ahead log, and until then no cache may hold it. So new ids are put into `learned`, and the
 * caller caches them after its commit.
 */
export async function internWallets(
  db: Db,
  cache: IdCache,
  learned: Map<string, number>,
  swaps: readonly { swap: Swap }[],
): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  const unknown = new Set<string>()
  for (const { swap } of swaps) {
    const address = swap.user
    if (ids.has(address)) continue
    const id = cache.get(address)
    if (id === undefined) unknown.add(address)
    else ids.set(address, id)
  }
  const intern = async () => {
    const missing = [...unknown].filter((address) => !ids.has(address)).sort()
    if (missing.length === 0) return 0
    for (const { id, address } of await internWalletRows(db, [missing])) {
      ids.set(address, id)
      learned.set(address, id)
    }
    return missing.length
  }
  // The first look may miss a wallet that another lane interned at the same moment: a second finds it.
  await intern()
  await intern()
  const lost = [...unknown].find((address) => !ids.has(address))
  if (lost !== undefined) throw new Error(`wallet "${lost}" could not be interned`)
  return ids
}

const pairs = (names: readonly PoolName[]) => [
  names.map((name) => name.pairAddress),
  names.map((name) => name.tokenAddress),
]

/** The states of pools. Interns new ones, after `beforeInterning`. */
export async function loadPools(
  db: Db,
  names: readonly PoolName[],
  beforeInterning: (fresh: readonly PoolName[]) => Promise<void> = async () => {},
): Promise<PoolState[]> {
  if (names.length === 0) return []
  let rows = await loadPoolRows(db, pairs(names))
  if (rows.length < names.length) {
    const known = new Set(rows.map((row) => poolKey(row.pair_address, row.token_address)))
    const fresh = names
      .filter((name) => !known.has(poolKey(name.pairAddress, name.tokenAddress)))
      .sort((a, b) =>
        poolKey(a.pairAddress, a.tokenAddress) < poolKey(b.pairAddress, b.tokenAddress) ? -1 : 1,
      )
    await beforeInterning(fresh)
    rows = rows.concat(await internPools(db, fresh))
  }
  return rows.map(poolStateOfRow)
}

/** The states of pools that have a row. */
export async function loadStoredPools(
  db: Queryable,
  names: readonly PoolName[],
): Promise<PoolState[]> {
  return (await loadPoolRows(db, pairs(names))).map(poolStateOfRow)
}

/**
 * Pipelined statements, each in a separate transaction that sees the ones before it. As with wallets, without waiting
 * for the disk.
 */
async function internPools(db: Db, fresh: readonly PoolName[]): Promise<PoolRow[]> {
  return await onConnection(db, async (connection) => {
    const statements = [
      insertTokens(connection, [[...new Set(fresh.map((name) => name.tokenAddress))].sort()]),
      insertPools(connection, pairs(fresh)),
      loadPoolRows(connection, pairs(fresh)),
    ] as const
    await allInOrder(statements)
    return await statements[2]
  })
}

export const poolKey = (pairAddress: string, tokenAddress: string): string =>
  `${pairAddress}|${tokenAddress}`

function poolStateOfRow(row: PoolRow): PoolState {
  return {
    poolId: row.id,
    pairAddress: row.pair_address,
    tokenAddress: row.token_address,
    swapCount: row.swap_count,
    last:
      row.last_slot === null
        ? undefined
        : {
            slot: row.last_slot,
            blockTxIndex: row.last_block_tx_index,
            ixIndex: row.last_ix_index,
            dex: row.dex as DexId,
            isBuy: row.last_is_buy,
            signature: row.last_signature,
            pairAddress: row.pair_address,
            user: row.last_user,
            solAmount: row.last_sol_amount,
            tokenAmount: row.last_token_amount,
            timestamp: row.last_timestamp_ms,
            realSolReserves: row.last_sol_reserves,
            realTokenReserves: row.last_token_reserves,
            correctedPoolPrice: row.corrected_pool_price,
            priceAfter: row.last_price_after ?? undefined,
            virtualQuoteReserves: row.last_virtual_quote_reserves ?? undefined,
            quoteDecimals: row.last_quote_decimals,
          },
    firstSlot: row.first_slot ?? undefined,
    newestMs: row.newest_ms ?? undefined,
    lastPrice:
      row.last_price === null ? undefined : { price: row.last_price, timestamp: row.last_price_ms },
    liquidity: (row.liquidity_positions ?? []).map(([slot, blockTxIndex, ixIndex]) => ({
      slot,
      blockTxIndex,
      ixIndex,
    })),
    migration:
      row.migration_slot === null
        ? undefined
        : {
            slot: row.migration_slot,
            blockTxIndex: row.migration_block_tx_index,
            ixIndex: row.migration_ix_index,
            signature: row.migration_signature,
            timestamp: row.migration_timestamp_ms,
            fromPair: row.migration_from_pair,
          },
  }
}

/** The stored swaps around late positions, by pool id. */
export async function loadNeighbours(
  db: Queryable,
  probes: readonly LateProbe[],
): Promise<Map<number, StoredNeighbour[]>> {
  const byPool = new Map<number, StoredNeighbour[]>()
  if (probes.length === 0) return byPool
  const positions = probes.map(({ state: { poolId }, chainPosition }) => ({
    poolId,
    slot: chainPosition.slot,
    blockTxIndex: chainPosition.blockTxIndex,
    ixIndex: chainPosition.ixIndex,
  }))
  const rows = await listNeighbours(db, positions)
  for (const row of rows) {
    const near = byPool.get(row.pool_id) ?? []
    near.push({ swap: swapOfRow(row), priceImpactBps: row.price_impact_bps, side: row.side })
    byPool.set(row.pool_id, near)
  }
  return byPool
}

/** Whether stored changes of liquidity lie between the swaps of each pair. */
export async function loadDisturbances(
  db: Queryable,
  adjacent: readonly AdjacentPair[],
): Promise<boolean[]> {
  if (adjacent.length === 0) return []
  const rows = await findLiquidityBetween(db, [
    adjacent.map((pair) => pair.state.poolId),
    adjacent.map((pair) => pair.before.slot),
    adjacent.map((pair) => pair.before.blockTxIndex),
    adjacent.map((pair) => pair.before.ixIndex),
    adjacent.map((pair) => pair.after.slot),
    adjacent.map((pair) => pair.after.blockTxIndex),
    adjacent.map((pair) => pair.after.ixIndex),
  ])
  return rows.map((row) => row.is_disturbed)
}
