/**
 * Makes the batch of a fold of the pool actor: the statements of its commit and the messages that it
 * publishes. Statements without rows are not sent.
 */

import type { Int64 } from '../../../domain/amount.ts'
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import type { Retraction } from '../../../domain/events/retraction.ts'
import type { Token } from '../../../domain/events/token.ts'
import { greatestOf, leastOf } from '../../../domain/numbers/extremes.ts'
import { writePrepared } from '../../../history/sealed/find/stored.ts'
import { expectSealedAlike, type Sealed } from '../../../history/sealed/state.ts'
import { type PoolSlot, thaw, thawMints } from '../../../history/sealing/thaw.ts'
import { float8Array, optionalInt8Array, plainArray } from '../../../sql/binary/arrays.ts'
import type { Connection } from '../../../sql/db.ts'
import { allInOrder } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import type { Topology } from '../../../streams/nats/topology.ts'
import type { Batch } from '../../runtime/actor.ts'
import { slotRuns } from '../../runtime/checkpoint.ts'
import type { DeadLetter } from '../../runtime/dead-letter.ts'
import type { Conflict } from '../arrivals/contradiction.ts'
import type { RefusedEvents } from '../arrivals/dropped.ts'
import type { RunCounts } from '../arrivals/run-counts.ts'
import type { PoolCandles } from '../candle.ts'
import type { ImpactUpdate } from '../impact/late.ts'
import type { AcceptedSwap, PoolState } from '../pool-state.ts'
import { publications } from '../publication/published-batch.ts'
import { type Completed, completeRows, isNothing } from './completions.ts'
import { conflictColumns } from './conflict-write.ts'
import { copySwaps, encodeSignatureRows, encodeSwapRows } from './copy.ts'
import type { SignatureRows } from './signature-rows.ts'
import { sumWriter } from './sum-write.ts'
import type { TokenDecimals } from './token-decimals.ts'
import { mergeTokens } from './token-merge.ts'

const updatePools = query('pool/update_pools')
const insertPoolEvents = query('pool/insert_pool_events')
const mergeTokenLines = query('pool/merge_tokens')
const updateImpacts = query('pool/update_impacts')
const insertRepairs = query('pool/insert_repairs')
const insertConflicts = query('pool/insert_conflicts')
const insertRetractions = query('retraction/insert_retractions')
const mergeRefusals = query('history-runs/merge_refusals')

type StoredPoolEvent = { poolEvent: PoolEvent; bytes: Uint8Array; state: PoolState }

export type PoolEffects = {
  lane: number
  /** The state of sealed history when the stored rows were read that the fold rests on. */
  sealed: Sealed
  topology: Topology
  walletIds: ReadonlyMap<string, number>
  /** New swaps, and alongside each the bytes that it came as. */
  accepted: AcceptedSwap[]
  acceptedBytes: Uint8Array[]
  /** Rows of stored signatures; absent: all are assumed to be new without a look-up. */
  signatures: SignatureRows | undefined
  candles: PoolCandles[]
  poolEvents: StoredPoolEvent[]
  tokens: Token[]
  impactUpdates: ImpactUpdate[]
  /** Stored events that duplicates complete. */
  completed: Completed
  /** Ids of pools whose stored impacts must be recomputed. */
  repairs: number[]
  /** Pools whose state changed. */
  touched: PoolState[]
  runs: RunCounts
  deadLetters: DeadLetter[]
  conflicts: Conflict[]
  /** New ones, for a later commit to apply. */
  retractions: Retraction[]
  /** Events that are left out because their blocks were retracted. */
  retractedCount: number
  /** Events of slots whose swaps were dropped. */
  refused: RefusedEvents
  /** Deletes the rows that the events of this batch were readmitted from. */
  removeReadmitted: ((connection: Connection) => Promise<unknown>) | undefined
  decimals: TokenDecimals
  /** Mints whose decimals a token line or a swap set. */
  decimalsChanged: string[]
}

export function poolBatch(effects: PoolEffects): Batch {
  const { accepted, walletIds, touched, impactUpdates, completed, lane, sealed } = effects
  // Encoded before the transaction begins, so that no lock is held meanwhile.
  const swapRows = accepted.length > 0 ? encodeSwapRows(accepted, walletIds) : undefined
  const signatureRows =
    accepted.length > 0 ? encodeSignatureRows(accepted, effects.signatures) : undefined
  const writeSums = sumWriter(effects)
  const ties = arrivedAt(effects)
  const changed = [...impactUpdates.map(({ swap }) => swap), ...completed.swaps]
  const lowSlot = leastOf([...ties, ...changed].map(({ slot }) => slot))
  return {
    eventCount: accepted.length + effects.poolEvents.length + effects.tokens.length,
    deadLetters: effects.deadLetters,
    conflictKinds: effects.conflicts.map(({ kind }) => kind),
    retractedCount: effects.retractedCount,
    refusedCount: effects.refused.count,
    publish: (commitNumber) => publications(effects.topology, effects.lane, commitNumber, effects),
    publishedRuns: slotRuns(publishedSlots(effects)),
    write: (connection) =>
      writePrepared(sealed, async () => {
        const written: Promise<unknown>[] = []
        if (swapRows !== undefined && signatureRows !== undefined) {
          written.push(copySwaps(connection, swapRows, signatureRows))
        }
        if (touched.length > 0)
          written.push(updatePools(connection, poolColumns(touched).map(encodeColumn)))
        written.push(writeSums(connection), ...rareWrites(connection, effects))
        await allInOrder(written)
        await thawMints(connection, lane, ties)
        // After all others, so that their subtransactions hold only these updates.
        if (impactUpdates.length > 0) await writeImpacts(connection, lane, impactUpdates)
        if (!isNothing(completed)) await completeRows(connection, lane, completed)
        await expectSealedAlike(connection, sealed, lowSlot)
      }),
  }
}

/** The slots of pools that have something new, which may now tie with other pools of the mint. */
function arrivedAt({ accepted, poolEvents }: PoolEffects): PoolSlot[] {
  return [
    ...accepted.map(({ swap, state }) => ({ poolId: state.poolId, slot: swap.slot })),
    ...poolEvents.map(({ poolEvent, state }) => ({ poolId: state.poolId, slot: poolEvent.slot })),
  ]
}

function* publishedSlots({ accepted, poolEvents }: PoolEffects): Generator<number> {
  for (const { swap } of accepted) yield swap.slot
  for (const { poolEvent } of poolEvents) yield poolEvent.slot
}

function* rareWrites(connection: Connection, effects: PoolEffects): Generator<Promise<unknown>> {
  const { poolEvents, tokens, repairs, conflicts, retractions, removeReadmitted } = effects
  if (removeReadmitted !== undefined) yield removeReadmitted(connection)
  if (retractions.length > 0) {
    const slots = retractions.map(({ slot }) => slot)
    const blockhashes = retractions.map(({ blockhash }) => blockhash ?? '')
    const { laneCount } = effects.topology
    yield insertRetractions(connection, [slots, blockhashes, effects.lane, laneCount])
  }
  if (poolEvents.length > 0) yield insertPoolEvents(connection, poolEventColumns(poolEvents))
  if (tokens.length > 0) yield mergeTokenLines(connection, mergeTokens(tokens))
  if (repairs.length > 0) yield insertRepairs(connection, [repairs, effects.lane])
  if (conflicts.length > 0) yield insertConflicts(connection, conflictColumns(conflicts))
  const { decimals, decimalsChanged, lane, refused } = effects
  if (refused.newest !== undefined) {
    const { slot, signature } = refused.newest
    yield mergeRefusals(connection, ['event', lane, refused.count, slot, signature])
  }
  if (decimalsChanged.length > 0) yield decimals.report(connection, decimalsChanged)
}

/**
 * Stores price impacts that changed after their swaps were written. In a subtransaction: the rows that a commit stored
 * are found by its transaction id, and these rows were stored by earlier commits.
 */
export async function writeImpacts(
  connection: Connection,
  lane: number,
  updates: readonly ImpactUpdate[],
): Promise<void> {
  await thaw(
    connection,
    lane,
    updates.map(({ state, swap }) => ({ poolId: state.poolId, slot: swap.slot })),
  )
  const slots = updates.map(({ swap }) => swap.slot)
  const begun = connection.query('savepoint impacts')
  const updated = updateImpacts(connection, [
    updates.map(({ state }) => state.poolId),
    slots,
    updates.map(({ swap }) => swap.blockTxIndex),
    updates.map(({ swap }) => swap.ixIndex),
    updates.map(({ swap }) => swap.signature),
    updates.map(({ swap }) => swap.user),
    updates.map(({ swap }) => swap.isBuy),
    updates.map(({ swap }) => swap.solAmount),
    updates.map(({ swap }) => swap.tokenAmount),
    updates.map(({ priceImpactBps }) => priceImpactBps),
    leastOf(slots),
    greatestOf(slots),
    updates.map(({ swap }) => swap.dex),
  ])
  await Promise.all([begun, updated, connection.query('release savepoint impacts')])
}

/** The parameters of pool/update_pools. */
export function poolColumns(states: readonly PoolState[]): (Int64 | boolean | string | null)[][] {
  const last = <Value>(pick: (swap: NonNullable<PoolState['last']>) => Value): (Value | null)[] =>
    states.map((state) => (state.last === undefined ? null : pick(state.last)))
  return [
    states.map((state) => state.poolId),
    last((swap) => swap.dex),
    states.map((state) => state.swapCount),
    last((swap) => swap.slot),
    last((swap) => swap.blockTxIndex),
    last((swap) => swap.ixIndex),
    last((swap) => swap.timestamp),
    last((swap) => swap.isBuy),
    last((swap) => swap.signature),
    last((swap) => swap.user),
    last<Int64>((swap) => swap.solAmount),
    last<Int64>((swap) => swap.tokenAmount),
    last<Int64>((swap) => swap.realSolReserves),
    last<Int64>((swap) => swap.realTokenReserves),
    last((swap) => swap.priceAfter ?? null),
    last((swap) => swap.correctedPoolPrice),
    states.map((state) => state.migration?.timestamp ?? null),
    states.map((state) => state.migration?.fromPair ?? null),
    states.map((state) => state.newestMs ?? null),
    states.map((state) => state.lastPrice?.price ?? null),
    states.map((state) => state.lastPrice?.timestamp ?? null),
    states.map((state) => state.firstSlot ?? null),
    last((swap) => swap.quoteDecimals),
    last<Int64 | null>((swap) => swap.virtualQuoteReserves ?? null),
  ]
}

/** Indexes in poolColumns of columns of bigint and of double precision; the others are booleans or text. */
const INT8_COLUMNS = new Set([2, 3, 4, 6, 10, 11, 12, 13, 16, 18, 20, 21, 23])
const FLOAT8_COLUMNS = new Set([14, 15, 19])

function encodeColumn(
  values: readonly (Int64 | boolean | string | null)[],
  index: number,
): Buffer | string {
  if (INT8_COLUMNS.has(index)) return optionalInt8Array(values as (Int64 | null)[])
  if (FLOAT8_COLUMNS.has(index)) return float8Array(values as (number | null)[])
  return plainArray(values)
}

function poolEventColumns(events: readonly StoredPoolEvent[]): unknown[][] {
  const column = <Value>(pick: (event: PoolEvent) => Value | undefined): (Value | null)[] =>
    events.map(({ poolEvent }) => pick(poolEvent) ?? null)
  return [
    events.map(({ state }) => state.poolId),
    column((event) => event.slot),
    column((event) => event.blockTxIndex),
    column((event) => event.ixIndex),
    column((event) => event.timestamp),
    column((event) => event.dex),
    column((event) => event.event),
    column((event) => event.signature),
    column((event) => event.creator),
    column((event) => event.fromPair),
    column((event) => event.solAmount),
    column((event) => event.tokenAmount),
    column((event) => event.blockhash),
  ]
}
