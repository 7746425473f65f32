/**
 * Values of an answer that are another at every run, as the same ones: times of the recording, random keys and ids, what is
 * measured, and what changes with each version of the program. Pure.
 */
import { makeKey } from '../../../api/routing/key-format.ts'
import { secretText } from '../../../api/webhooks/secret.ts'
import { HOUR_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'

/** When the recording began, and the time of the requests in the market, Unix ms. */
export type Run = { beganMs: number; nowMs: number }

const KEY = /\bohlcv_(live|dev|test)_sk_[0-9A-Za-z]{48}\b/g
const SECRET = /\bwhsec_[0-9A-Za-z+/]+=*/g
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g
export const NO_UUID = '00000000-0000-4000-8000-000000000000'
/** Begins the subjects of a test. */
const TEST_PREFIX = /\bt[0-9a-f]{12}\./g
const FEED_CURSOR = '1f09ad20-17'
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** Times of the recording lie from this long before its begin to as long after it. */
const SPAN_MS = 30 * 24 * HOUR_MS
const MS_A_SECOND = 1_000
const zeros = (count: number): Uint8Array => new Uint8Array(count)

const zeroSeries = (series: unknown): unknown =>
  Object.fromEntries(Object.keys(series as object).map((name) => [name, [0]]))

/** By operation and field, or by field: what is measured, and what differs between versions. */
const MEASURED: Readonly<Record<string, unknown>> = {
  'getCredits monthly_used': 1,
  // The first sample is taken 10 s after the start, which a busy machine reaches.
  'getSamples at': [],
  'getSamples series': zeroSeries,
  // Transactions that happen to be open.
  'getSealedHistory holders': [
    { kind: 'session', name: 'report (pid 4711)', age_ms: 60_000, transactions: 12 },
  ],
  'getVersion commit': '0'.repeat(40),
  'getVersion schema': '0001_schema',
  'getVersion version': '0.1.0',
  'listLanes age_ms': 42,
  'listLanes latency_ms': 12.5,
  'listLanes owner': 'worker-1-4711-0b1c2d3e',
  'listQueues waiting': 1,
  // A busy worker counts later than the answer waits.
  'removeSector is_counted': true,
  'storeSector is_counted': true,
  'listSources age_ms': 2_100,
  'listSources lag_ms': 1_300,
  'listSources moved_age_ms': 400,
  'listSources state': 'running',
  hint: '0000...000000',
  cursor: FEED_CURSOR,
  feed_cursor: FEED_CURSOR,
}

/** A value of any answer, its fields and rows included. */
export function pinned(value: unknown, run: Run, operationId: string, name = ''): unknown {
  const key = [`${operationId} ${name}`, name].find((each) => Object.hasOwn(MEASURED, each))
  if (key !== undefined && value !== null) {
    const measured = MEASURED[key]
    return pinned(typeof measured === 'function' ? measured(value) : measured, run, operationId)
  }
  if (typeof value === 'string') return pinnedText(value, run)
  // Another number may be as large as a time.
  if (typeof value === 'number') {
    return (name.endsWith('_at') ? pinnedTime(value, run) : undefined) ?? value
  }
  if (Array.isArray(value)) return value.map((each) => pinned(each, run, operationId))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [field, pinned(each, run, operationId, field)]),
  )
}

function pinnedText(text: string, run: Run): string {
  if (ISO_TIME.test(text)) {
    const ms = pinnedTime(Date.parse(text), run)
    return ms === undefined ? text : new Date(ms).toISOString()
  }
  return text
    .replaceAll(KEY, (_, environment) => makeKey(environment, zeros))
    .replaceAll(SECRET, secretText(Buffer.alloc(32)))
    .replaceAll(UUID, NO_UUID)
    .replaceAll(TEST_PREFIX, '')
}

/**
 * A time of the recording in milliseconds or seconds as one of the market, in whole hours from that of the requests;
 * undefined for another number.
 */
function pinnedTime(time: number, { beganMs, nowMs }: Run): number | undefined {
  for (const unitMs of [1, MS_A_SECOND]) {
    const passedMs = time * unitMs - beganMs
    // A clock that was read before the recording began.
    if (passedMs < -MINUTE_MS || passedMs > SPAN_MS) continue
    return Math.floor((nowMs + Math.round(passedMs / HOUR_MS) * HOUR_MS) / unitMs)
  }
  return undefined
}

const VALUES_SHOWN = 10

/** An answer as the documents show it: lists have their first row, and lists of plain values their first ten. */
export function firstRows(value: unknown): unknown {
  if (Array.isArray(value)) {
    const shown = typeof value[0] === 'object' ? 1 : VALUES_SHOWN
    return value.slice(0, shown).map(firstRows)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, firstRows(each)]))
}
