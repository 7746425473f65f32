/** Columns of the sources of chain data, and of ranges of slots. */
import type { ComponentChildren } from 'preact'
import { counted, countedInGroups, grouped } from '../../../../domain/text/plural.ts'
import { lagText } from '../../../format/time.ts'
import type { ChainSource, CoverageSlots } from '../../answers.ts'
import { type Column, counts, countText, times, utcText } from '../../parts/table.tsx'

/** A lag over it is marked. */
const LAG_MS_MAX = 60_000
const STALLED_MS = 30_000
const STALLED_BACKFILL_MS = 60_000

type LinesProps = { first: ComponentChildren; more: readonly (string | false)[] }

/** A value with smaller lines below it, of which false ones are left out. */
export function Lines({ first, more }: LinesProps) {
  const lines = more.filter((line) => line !== false)
  return (
    <>
      {first}
      {lines.map((line) => (
        <span key={line} class="line quiet">
          {line}
        </span>
      ))}
    </>
  )
}

export const SOURCES: readonly Column<ChainSource>[] = [
  {
    title: 'Source',
    value: ({ kind, endpoint }) => `${kind} ${endpoint}`,
    cell: nameOf,
  },
  { title: 'State', value: ({ state }) => state, cell: stateOf },
  { title: 'Venues', value: ({ venues }) => venues.length, cell: venuesOf },
  counts('Slot', ({ cursor_slot: slot }) => slot, slotOf),
  counts('Lag', ({ lag_ms: lagMs }) => lagMs, lagOf),
  counts('Rate', ({ swaps_per_second: rate }) => rate, rateOf),
  counts('Events', ({ swaps }) => swaps, eventsOf),
  counts(
    'Refused',
    ({ rejects }) => sumOf(rejects),
    ({ rejects }) => listOf(rejects.map(({ reason, count }) => `${grouped(count)} ${reason}`)),
  ),
  counts(
    'Mismatches',
    ({ mismatches }) => sumOf(mismatches),
    ({ mismatches }) => listOf(mismatches.map(({ venue, count }) => `${grouped(count)} ${venue}`)),
  ),
  counts('Retries', ({ retries }) => retries, retriesOf),
  {
    title: 'Last error',
    value: ({ last_error_at: at }) => at,
    cell: errorOf,
    class: 'reason',
  },
  times('Started (UTC)', ({ started_at: at }) => at),
  counts(
    'Heartbeat',
    ({ age_ms: ageMs }) => ageMs,
    ({ age_ms: ageMs }) => `${lagText(ageMs)} ago`,
  ),
]

function nameOf({ kind, endpoint, commitment, decoder_version: version }: ChainSource) {
  const name = (
    <>
      {kind} <code>{endpoint}</code>
    </>
  )
  return <Lines first={name} more={[`${commitment}, decoder ${version}`]} />
}

const STATE_CLASSES = { running: 'good', silent: 'warn', failed: 'bad' } as const

function stateOf({ state, to_slot: toSlot, moved_age_ms: movedAgeMs }: ChainSource) {
  const shown = <span class={STATE_CLASSES[state]}>{state}</span>
  const stalledMs = toSlot === null ? STALLED_MS : STALLED_BACKFILL_MS
  if (state !== 'running' || movedAgeMs < stalledMs) return shown
  return (
    <>
      {shown}
      <span class="line warn">no slot for {lagText(movedAgeMs)}</span>
    </>
  )
}

function venuesOf({ venues }: { venues: readonly string[] }) {
  const text = venues.length === 1 ? venues[0] : counted(venues.length, 'venue')
  return <span title={venues.join(' ')}>{text}</span>
}

function slotOf({ cursor_slot: slot, newest_slot: newest, to_slot: toSlot }: ChainSource) {
  const end = toSlot ?? newest
  return <Lines first={countText(slot)} more={[end !== null && `of ${grouped(end)}`]} />
}

function lagOf(source: ChainSource) {
  const { lag_slots: lagSlots, lag_ms: lagMs, from_slot: from, to_slot: to, slots } = source
  if (from !== null && to !== null) {
    // Not by the cursor: chunks are read newest first.
    return `${Math.floor(Math.min(1, slots / (to - from + 1)) * 100)} % done`
  }
  if (lagMs === null) return '-'
  const shown = <b class={lagMs > LAG_MS_MAX ? 'warn' : 'good'}>{lagText(lagMs)}</b>
  return <Lines first={shown} more={[lagSlots !== null && countedInGroups(lagSlots, 'slot')]} />
}

function rateOf({ slots_per_second: slots, swaps_per_second: swaps }: ChainSource) {
  return <Lines first={`${swaps.toFixed(1)} swaps/s`} more={[`${slots.toFixed(1)} slots/s`]} />
}

function eventsOf(source: ChainSource) {
  const { swaps, pool_events: poolEvents, tokens, slots, skipped_slots: skipped } = source
  return (
    <Lines
      first={countedInGroups(swaps, 'swap')}
      more={[
        `${countedInGroups(poolEvents, 'pool event')}, ${countedInGroups(tokens, 'token')}`,
        `${countedInGroups(slots, 'slot')}, ${grouped(skipped)} skipped`,
      ]}
    />
  )
}

function retriesOf(source: ChainSource) {
  const { retries, requests, throttled_requests: throttled, failed_requests: failed } = source
  return (
    <Lines
      first={grouped(retries)}
      more={[
        requests > 0 && countedInGroups(requests, 'request'),
        throttled > 0 && `${grouped(throttled)} throttled`,
        failed > 0 && `${grouped(failed)} repeated`,
      ]}
    />
  )
}

const sumOf = (counted: readonly { count: number }[]): number =>
  counted.reduce((sum, { count }) => sum + count, 0)

function listOf(texts: readonly string[]) {
  if (texts.length === 0) return '0'
  return texts.map((text) => (
    <span key={text} class="line">
      {text}
    </span>
  ))
}

function errorOf({ last_error: error, last_error_at: at }: ChainSource) {
  return error !== null && <Lines first={error} more={[utcText(at)]} />
}

/** A range of slots: its ends, how many they are, `more`, and its venues. */
export function slotRange<Row extends CoverageSlots = CoverageSlots>(
  ...more: readonly Column<Row>[]
): Column<Row>[] {
  return [
    { title: 'From slot', value: ({ from_slot: slot }) => slot, class: 'num' },
    { title: 'To slot', value: ({ to_slot: slot }) => slot, class: 'num' },
    counts('Slots', ({ from_slot: from, to_slot: to }) => to - from + 1),
    ...more,
    { title: 'Venues', value: ({ venues }) => venues.length, cell: venuesOf },
  ]
}
