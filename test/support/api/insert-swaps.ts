// Fills the tables that the API reads, as the pool actor leaves them, without running it.

import type { Int64 } from '../../../domain/amount.ts'
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import { compareSwaps, type Swap } from '../../../domain/events/swap.ts'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { RunCounts } from '../../../workers/pool/arrivals/run-counts.ts'
import { foldCandles } from '../../../workers/pool/candle.ts'
import { applySwap } from '../../../workers/pool/pool.ts'
import type { AcceptedSwap, PoolState } from '../../../workers/pool/pool-state.ts'
import { loadKnownSwaps, loadPools } from '../../../workers/pool/store.ts'
import { copySwaps, encodeSignatureRows, encodeSwapRows } from '../../../workers/pool/write/copy.ts'
import { SignatureRows } from '../../../workers/pool/write/signature-rows.ts'
import { sumWriter } from '../../../workers/pool/write/sum-write.ts'
import { poolColumns } from '../../../workers/pool/write/write.ts'

/** A swap to store, and the values that the pool actor would have computed. */
type StoredSwap = Swap & { priceImpactBps?: Int64 | null }

const insertTokens = query('pool/insert_tokens')
const insertPools = query('pool/insert_pools')
const internWallets = query('pool/intern_wallets')
const updatePools = query('pool/update_pools')
const insertPoolEvents = query('pool/insert_pool_events')

const LANE = 0

/** `hasPrices`: candles and last prices, too; without, a test sets the prices that it needs itself. */
export async function insertSwaps(
  db: Db,
  swaps: readonly StoredSwap[],
  { hasPrices = false }: { hasPrices?: boolean } = {},
): Promise<void> {
  await internPools(db, swaps)
  const users = [...new Set(swaps.map(({ user }) => user))].sort()
  await internWallets(db, [users])
  const wallets = await db.query('select id, address from wallet')
  const walletIds = new Map<string, number>(wallets.rows.map(({ id, address }) => [address, id]))
  const byPool = [...Map.groupBy(swaps, poolNameOf).values()]
  const states = await loadPools(
    db,
    byPool.map(([first]) => first!),
  )
  const stateOf = new Map(states.map((state) => [poolNameOf(state), state]))
  const known = new Map(
    states.map(({ poolId, newestMs, lastPrice }) => [poolId, { newestMs, lastPrice }]),
  )
  const folded = byPool.map((own) => foldStored(stateOf.get(poolNameOf(own[0]!))!, own))
  if (!hasPrices) for (const state of states) Object.assign(state, known.get(state.poolId))
  const accepted = folded.flatMap((pool) => pool.accepted)
  const connection = await db.connect()
  try {
    await connection.query('begin')
    const rows = encodeSwapRows(accepted, walletIds)
    const { signatures } = await loadKnownSwaps(db, swaps)
    const signatureRows = encodeSignatureRows(accepted, new SignatureRows(signatures))
    await copySwaps(connection, rows, signatureRows)
    await updatePools(connection, poolColumns(states))
    const candles = hasPrices ? folded.map((pool) => pool.candles) : []
    await sumWriter({ lane: LANE, accepted, walletIds, candles, runs: new RunCounts() })(connection)
    await connection.query('commit')
  } finally {
    connection.release()
  }
}

/** The fold of one pool, with the impacts that the test requests. */
function foldStored(state: PoolState, swaps: readonly StoredSwap[]) {
  const newestBeforeMs = state.newestMs
  const accepted = swaps.toSorted(compareSwaps).map((swap): AcceptedSwap => {
    const { priceImpactBps = null } = swap
    return { ...applySwap(state, swap), priceImpactBps }
  })
  return { accepted, candles: foldCandles(state, newestBeforeMs, accepted) }
}

export async function insertEvents(db: Db, events: readonly PoolEvent[]): Promise<void> {
  const poolIds = await internPools(db, events)
  const columns = [
    events.map((event) => poolIds.get(`${event.pairAddress} ${event.tokenAddress}`)),
    events.map(({ slot }) => slot),
    events.map(({ blockTxIndex }) => blockTxIndex),
    events.map(({ ixIndex }) => ixIndex),
    events.map(({ timestamp }) => timestamp),
    events.map(({ dex }) => dex),
    events.map(({ event }) => event),
    events.map(({ signature }) => signature),
    events.map(({ creator }) => creator ?? null),
    events.map(({ fromPair }) => fromPair ?? null),
    events.map(({ solAmount }) => solAmount ?? null),
    events.map(({ tokenAmount }) => tokenAmount ?? null),
    events.map(({ blockhash }) => blockhash ?? null),
  ]
  await insertPoolEvents(db, columns)
}

type OfPool = { pairAddress: string; tokenAddress: string }

const poolNameOf = ({ pairAddress, tokenAddress }: OfPool): string =>
  `${pairAddress} ${tokenAddress}`

/** Ids by `pair mint`. */
async function internPools(db: Db, rows: readonly OfPool[]): Promise<Map<string, number>> {
  const names = [...new Set(rows.map(poolNameOf))].sort()
  const pairs = names.map((name) => name.split(' ') as [string, string])
  await insertTokens(db, [[...new Set(pairs.map(([, mint]) => mint))].sort()])
  await insertPools(db, [pairs.map(([pair]) => pair), pairs.map(([, mint]) => mint)])
  const pools = await db.query(
    'select p.id, p.pair_address, t.address from pool p join token t on t.id = p.token_id',
  )
  return new Map(pools.rows.map((row) => [`${row.pair_address} ${row.address}`, row.id]))
}

/** A `liquidity_added` in the transaction and pool of each swap. */
export function liquidityBeside(swaps: readonly Swap[]): PoolEvent[] {
  return swaps.map(({ signature, slot, timestamp, tokenAddress, pairAddress, dex }) => ({
    ...{ signature, slot, timestamp, tokenAddress, pairAddress, dex },
    event: 'liquidity_added',
    blockTxIndex: 0,
    ixIndex: 0,
  }))
}
