/** Sources of chain data, and which slots they have read. */
import {
  counted,
  duration,
  grouped,
  make,
  moment,
  part,
  refreshing,
  request,
  table,
} from './parts.js'

const KINDS = { running: 'good', silent: 'warn', failed: 'bad' }
const LAG_MS_MAX = 60_000
const STALLED_MS = 30_000
const STALLED_BACKFILL_MS = 60_000

export function sources() {
  const showSources = table(part('sources'), SOURCES, {
    empty: 'No source of chain data runs: swaps come by "ingest" or from a simulated market.',
    sortedBy: 'Source',
  })
  const showWarnings = table(part('warnings'), WARNINGS, {
    empty: 'No sign that the program of a venue has changed.',
    sortedBy: 'First seen (UTC)',
    isDescending: true,
  })
  const showRanges = table(part('coverage'), RANGES, {
    empty: 'No slots were read from the chain.',
    sortedBy: 'From slot',
    isDescending: true,
  })
  const showGaps = table(part('gaps'), GAPS, { empty: 'No gaps.', sortedBy: 'From slot' })
  refreshing(async () => {
    const { sources: rows, coverage, warnings } = (await request('/admin/v1/sources')).data
    showSources(rows)
    showWarnings(warnings)
    showRanges(coverage.ranges)
    showGaps(coverage.gaps)
    part('history').textContent = historyOf(coverage)
  })
}

const number = (title, value, cell = (row) => shownOf(value(row))) => ({
  title,
  value,
  cell,
  className: 'number',
})
const shownOf = (count) => (count === null ? '-' : grouped(count))
const rateOf = (rate) => rate.toFixed(1)
const lines = (...texts) =>
  make(
    'span',
    {},
    ...texts.filter(Boolean).flatMap((text, at) => (at === 0 ? [text] : [make('br'), text])),
  )
const quiet = (text) => make('span', { className: 'quiet' }, text)

const SOURCES = [
  { title: 'Source', value: ({ kind, endpoint }) => `${kind} ${endpoint}`, cell: nameOf },
  { title: 'State', value: ({ state }) => state, cell: stateOf },
  { title: 'Venues', value: ({ venues }) => venues.length, cell: venuesOf },
  number('Slot', ({ cursor_slot }) => cursor_slot, slotOf),
  number('Lag', ({ lag_ms }) => lag_ms, lagOf),
  number(
    'Rate',
    ({ swaps_per_second }) => swaps_per_second,
    ({ slots_per_second, swaps_per_second }) =>
      lines(`${rateOf(slots_per_second)} slots/s`, `${rateOf(swaps_per_second)} swaps/s`),
  ),
  number('Events', ({ swaps }) => swaps, eventsOf),
  number(
    'Refused',
    ({ rejects }) => sumOf(rejects),
    ({ rejects }) => listOf(rejects, 'reason'),
  ),
  number(
    'Mismatches',
    ({ mismatches }) => sumOf(mismatches),
    ({ mismatches }) => listOf(mismatches, 'venue'),
  ),
  number('Retries', ({ retries }) => retries, retriesOf),
  {
    title: 'Last error',
    value: ({ last_error_at }) => last_error_at,
    cell: ({ last_error, last_error_at }) =>
      last_error === null ? '' : lines(quiet(moment(last_error_at)), last_error),
    className: 'reason',
  },
  {
    title: 'Started (UTC)',
    value: ({ started_at }) => started_at,
    cell: ({ started_at }) => moment(started_at),
  },
  number(
    'Heartbeat',
    ({ age_ms }) => age_ms,
    ({ age_ms }) => `${duration(age_ms)} ago`,
  ),
]

const WARNING_WORDS = {
  upgrade: 'program changed',
  unknown_instruction: 'unknown instruction',
  unknown_event: 'unknown event',
  reject_rate: 'reject rate',
}

const WARNINGS = [
  { title: 'Venue', value: ({ venue }) => venue },
  { title: 'Warning', value: ({ kind }) => kind, cell: warningOf },
  {
    title: 'What',
    value: ({ subject }) => subject,
    cell: ({ subject }) => make('code', {}, subject),
  },
  { title: 'From slot', value: ({ first_slot }) => first_slot, className: 'number' },
  { title: 'To slot', value: ({ last_slot }) => last_slot, className: 'number' },
  number('Reads', ({ reads }) => reads),
  {
    title: 'First seen (UTC)',
    value: ({ first_seen_at }) => first_seen_at,
    cell: ({ first_seen_at }) => moment(first_seen_at),
  },
]

const RANGES = [
  { title: 'From slot', value: ({ from_slot }) => from_slot, className: 'number' },
  { title: 'To slot', value: ({ to_slot }) => to_slot, className: 'number' },
  number('Slots', slotsOf),
  number('Swaps', ({ swaps }) => swaps),
  { title: 'Venues', value: ({ venues }) => venues.length, cell: venuesOf },
  { title: 'Decoder', value: ({ decoder_version }) => decoder_version, className: 'number' },
  { title: 'Source', value: ({ source }) => source },
  { title: 'Commitment', value: ({ commitment }) => commitment },
]

const GAPS = [
  { title: 'From slot', value: ({ from_slot }) => from_slot, className: 'number' },
  { title: 'To slot', value: ({ to_slot }) => to_slot, className: 'number' },
  number('Slots', slotsOf),
  { title: 'Venues', value: ({ venues }) => venues.length, cell: venuesOf },
]

function nameOf({ kind, endpoint, commitment, decoder_version }) {
  const more = `${commitment}, decoder ${decoder_version}`
  return lines(make('span', {}, `${kind} `, make('code', {}, endpoint)), quiet(more))
}

function warningOf({ kind, share, ended_slot }) {
  const className = ended_slot === null ? 'bad' : 'quiet'
  const shown = make('span', { className }, WARNING_WORDS[kind])
  if (share === null) return shown
  const end = ended_slot === null ? '' : `, within its band again at slot ${ended_slot}`
  return lines(shown, quiet(`${(share * 100).toFixed(1)} % of swaps${end}`))
}

function stateOf({ state, to_slot, moved_age_ms }) {
  const shown = make('span', { className: KINDS[state] }, state)
  const stalledMs = to_slot === null ? STALLED_MS : STALLED_BACKFILL_MS
  if (state !== 'running' || moved_age_ms < stalledMs) return shown
  return lines(shown, make('span', { className: 'warn' }, `no slot for ${duration(moved_age_ms)}`))
}

function venuesOf({ venues }) {
  const text = venues.length === 1 ? venues[0] : counted(venues.length, 'venue')
  return make('span', { title: venues.join(' ') }, text)
}

function slotOf({ cursor_slot, newest_slot, to_slot }) {
  const end = to_slot ?? newest_slot
  return lines(shownOf(cursor_slot), end === null ? '' : quiet(`of ${grouped(end)}`))
}

function lagOf({ lag_slots, lag_ms, from_slot, to_slot, slots }) {
  if (to_slot !== null) {
    // Not by the cursor: chunks are read newest first.
    return `${Math.floor(Math.min(1, slots / (to_slot - from_slot + 1)) * 100)} % done`
  }
  if (lag_ms === null) return '-'
  const className = lag_ms > LAG_MS_MAX ? 'warn' : 'good'
  const behind = lag_slots === null ? '' : quiet(counted(lag_slots, 'slot'))
  return lines(make('b', { className }, duration(lag_ms)), behind)
}

function eventsOf({ swaps, pool_events, tokens, slots, skipped_slots }) {
  return lines(
    counted(swaps, 'swap'),
    quiet(`${counted(pool_events, 'pool event')}, ${counted(tokens, 'token')}`),
    quiet(`${counted(slots, 'slot')}, ${grouped(skipped_slots)} skipped`),
  )
}

function retriesOf({ retries, requests, throttled_requests, failed_requests }) {
  return lines(
    grouped(retries),
    requests === 0 ? '' : quiet(counted(requests, 'request')),
    throttled_requests === 0 ? '' : quiet(`${grouped(throttled_requests)} throttled`),
    failed_requests === 0 ? '' : quiet(`${grouped(failed_requests)} repeated`),
  )
}

const sumOf = (counts) => counts.reduce((sum, { count }) => sum + count, 0)
const listOf = (counts, name) =>
  counts.length === 0 ? '0' : lines(...counts.map((each) => `${grouped(each.count)} ${each[name]}`))

function historyOf({ complete_since, complete_since_timestamp }) {
  if (complete_since === undefined) return ''
  const time = complete_since_timestamp
  const at = time === null ? '' : ` (${moment(new Date(time).toISOString())} UTC)`
  return `Complete since slot ${grouped(complete_since)}${at}.`
}

function slotsOf({ from_slot, to_slot }) {
  return to_slot - from_slot + 1
}
