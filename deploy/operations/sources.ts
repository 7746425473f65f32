/** Sources of chain data, and warnings of the decoder, as `swaptide status` and `swaptide coverage` show them. Pure. */

import { EXPECTED_REJECT } from '../../chain/sources/batch.ts'
import { isActive, wordsOf } from '../../domain/decoder-warning.ts'
import { venueOf } from '../../domain/venue.ts'
import type { DecoderWarning } from '../../sql/chain/decoder-warnings.ts'
import type { SourceState } from '../../sql/chain/sources.ts'
import { counted, duration, grouped, table } from '../cli/format.ts'

const COLUMNS = [
  'source',
  'endpoint',
  'state',
  'slot',
  'lag',
  'slots/s',
  'swaps/s',
  'refused',
  'retries',
]

/** A table with the newest error of each below it; empty without a source. */
export function describeSources(sources: readonly SourceState[], nowMs: number): string {
  if (sources.length === 0) return ''
  const rows = sources.map((source) => [
    source.kind,
    source.endpoint,
    stateOf(source),
    source.cursor_slot === null ? '-' : String(source.cursor_slot),
    lagOf(source),
    source.slots_per_second.toFixed(1),
    source.swaps_per_second.toFixed(1),
    grouped(refusedOf(source)),
    grouped(source.retries),
  ])
  const errors = sources.flatMap(({ kind, endpoint, last_error, last_error_at }) =>
    last_error === null
      ? []
      : [`${kind} ${endpoint}: ${agoOf(last_error_at, nowMs)}: ${last_error}\n`],
  )
  return `${table(COLUMNS, rows)}${errors.join('')}\n`
}

const agoOf = (at: Date | null, nowMs: number): string =>
  at === null ? 'before' : `${duration(Math.max(0, nowMs - at.getTime()))} ago`

/** Without a new slot for so long, a running source shows it; a backfill acknowledges many slots at once. */
const STALLED_MS = 30_000
const STALLED_BACKFILL_MS = 60_000

function stateOf({ state, to_slot, age_ms, moved_age_ms }: SourceState): string {
  if (state !== 'running') return `${state} for ${duration(age_ms)}`
  return moved_age_ms < (to_slot === null ? STALLED_MS : STALLED_BACKFILL_MS)
    ? state
    : `no slot for ${duration(moved_age_ms)}`
}

/** `2 slots, 1.3 s`; of a backfill its share of the range. */
function lagOf({ from_slot, to_slot, slots, lag_slots, lag_ms }: SourceState): string {
  if (from_slot !== null && to_slot !== null) {
    // Not by the cursor: chunks are read newest first.
    const share = Math.min(1, slots / (to_slot - from_slot + 1))
    return `${Math.floor(share * 100)} % of its range`
  }
  const parts = [
    lag_slots === null ? '' : counted(lag_slots, 'slot'),
    lag_ms === null ? '' : duration(lag_ms),
  ].filter(Boolean)
  return parts.length === 0 ? 'unknown' : parts.join(', ')
}

/** Pools without SOL are expected, and are not counted. */
function refusedOf({ rejects }: SourceState): number {
  return Object.entries(rejects).reduce(
    (sum, [reason, count]) => (reason === EXPECTED_REJECT ? sum : sum + count),
    0,
  )
}

/** A line each; empty without one. */
export function describeWarnings(warnings: readonly DecoderWarning[]): string {
  if (warnings.length === 0) return ''
  const title = `${counted(warnings.length, 'decoder warning')} (docs/sources.md, Warnings of the decoder):\n`
  return title + warnings.map((warning) => `  ${warningLine(warning)}\n`).join('')
}

function warningLine(warning: DecoderWarning): string {
  const { dex, kind, subject, first_slot, last_slot, ended_slot, share } = warning
  const range =
    first_slot === last_slot ? `slot ${first_slot}` : `slots ${first_slot} to ${last_slot}`
  const end = isActive(warning) ? '' : `, within its band again at slot ${ended_slot}`
  const part = share === null ? '' : ` ${(share * 100).toFixed(1)} %`
  return `${venueOf(dex).name}: ${wordsOf(kind)}: ${subject}${part}, ${range}${end}`
}
