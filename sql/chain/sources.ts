/** Sources of chain data that run, as their heartbeats report them. Written by deploy/chain/heartbeat.ts. */
import type { Queryable } from '../driver/queryable.ts'
import { query } from '../query.ts'

/** A row of the table `chain_source`, where its columns are described, as the source writes it. */
export type SourceBeat = {
  id: string
  kind: string
  endpoint: string
  commitment: string
  venues: number
  decoder_version: number
  from_slot: number | null
  to_slot: number | null
  cursor_slot: number | null
  newest_slot: number | null
  newest_block_ms: number | null
  slots: number
  skipped_slots: number
  swaps: number
  pool_events: number
  tokens: number
  rejects: Readonly<Record<string, number>>
  mismatches: Readonly<Record<string, number>>
  retries: number
  requests: number
  throttled_requests: number
  failed_requests: number
  slots_per_second: number
  swaps_per_second: number
  last_error: string | null
  last_error_at: Date | null
  started_at: Date
  ended_at: Date | null
}

/** Seconds after its heartbeat in which a source counts as running; the statements of sql/queries/sources.sql have the same. */
export const SOURCE_RUNNING_S = 15

export const SOURCE_STATES = ['running', 'silent', 'failed'] as const

/**
 * `lag_slots` and `lag_ms`: from the cursor to the newest slot, and from the newest block that was read to now; null for a
 * backfill, and before the first block. `age_ms`: since the heartbeat; `moved_age_ms`: since the
 * cursor moved.
 */
export type SourceState = SourceBeat & {
  state: (typeof SOURCE_STATES)[number]
  lag_slots: number | null
  lag_ms: number | null
  moved_at: Date
  seen_at: Date
  age_ms: number
  moved_age_ms: number
}

const listRows = query<Omit<SourceState, 'lag_slots'>>('sources/list_sources')
const beat = query('sources/beat_source')
const forget = query('sources/forget_source')

/** By kind and endpoint; of those that share both, the one that was seen last is the last. */
export async function listSources(db: Queryable): Promise<SourceState[]> {
  return (await listRows(db)).map((row) => ({ ...row, ...lagOf(row, row.lag_ms) }))
}

/** The lag of a source; `lag_ms` as measured by a clock. */
export function lagOf(
  { to_slot, cursor_slot, newest_slot }: SourceBeat,
  lag_ms: number | null,
): Pick<SourceState, 'lag_slots' | 'lag_ms'> {
  if (to_slot !== null) return { lag_slots: null, lag_ms: null }
  const isKnown = cursor_slot !== null && newest_slot !== null
  return { lag_slots: isKnown ? Math.max(0, newest_slot - cursor_slot) : null, lag_ms }
}

export async function beatSource(db: Queryable, source: SourceBeat): Promise<void> {
  await beat(db, [JSON.stringify(source)])
}

export async function forgetSource(db: Queryable, id: string): Promise<void> {
  await forget(db, [id])
}
