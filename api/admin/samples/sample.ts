/**
 * A sample of the installation's metrics: one point of each chart of the console. Pure.
 *
 * Rates are computed from two readings one interval apart. A missing value is null, never 0. A counter that fell was set
 * back, and has counted from 0 since.
 */

import { MINUTE_MS } from '../../../domain/time/time-bucket.ts'

/** The metrics at a moment. Undefined: the server that holds it did not answer, or there is none. */
export type Reading = {
  /** By a monotonic clock. */
  takenMs: number
  lanes: readonly LaneReading[] | undefined
  /** Since FEED was last read to its end; `swaps`: read from it since the process started. */
  feed: { lagMs: number; swaps: number } | undefined
  /** Lag of each source that follows the chain, and its counters of rejects by id and reason. */
  sources: { lagsMs: readonly number[]; rejects: ReadonlyMap<string, number> } | undefined
  requests: RequestCounts
  failedJobs: number | undefined
  deadLetters: number | undefined
}

type LaneReading = {
  actor: string
  lane: number
  lag: number
  sequence: number
  latencyMs: number | null
}

/** Requests of clients since the process started: the count up to each bound in seconds, and answers with 5xx. */
export type RequestCounts = { upTo: ReadonlyMap<number, number>; errors: number }

/** Names of the series, with what each is. */
export const SERIES = {
  pool_lag_messages: 'Messages that the lanes of the actor pool have not committed',
  ledger_lag_messages: 'Messages that the lanes of the actor ledger have not committed',
  ranking_lag_messages: 'Messages that the lanes of the actor ranking have not committed',
  feed_lag_ms: 'Milliseconds since the process had read FEED to its end',
  source_lag_ms: 'Lag of the slowest running source that follows the chain, in milliseconds',
  swaps_per_second: 'Swaps that were committed and published in FEED',
  requests_per_second: 'Requests of clients that the process answered',
  commit_latency_ms:
    'Milliseconds from the storing of a message in SWAP to its commit, after which it can be read: the newest message ' +
    'of each lane, the largest of them',
  request_p50_ms: 'Median duration of requests, in milliseconds',
  request_p99_ms: '99th percentile of the duration of requests, in milliseconds',
  server_errors_per_minute: 'Requests that were answered with 5xx',
  rejects_per_minute: 'Swaps and pool events of the chain that yielded no event',
  failed_jobs: 'Jobs that were given up and are still listed',
  dead_letters: 'Dead letters that were not sent again',
} as const
export type SeriesName = keyof typeof SERIES
export type Sample = Readonly<Record<SeriesName, number | null>>
export const SERIES_NAMES = Object.keys(SERIES) as SeriesName[]

const SECOND_MS = 1_000

/** `before`: the reading one interval earlier; undefined: there is none, so no rate is known. */
export function sampleOf(before: Reading | undefined, now: Reading): Sample {
  const elapsedMs = before === undefined ? 0 : now.takenMs - before.takenMs
  const rate = (increase: number | null, perMs: number): number | null =>
    increase === null || elapsedMs <= 0 ? null : (increase * perMs) / elapsedMs
  const requests = before && requestsBetween(before.requests, now.requests)
  return {
    pool_lag_messages: lagOf(now, 'pool'),
    ledger_lag_messages: lagOf(now, 'ledger'),
    ranking_lag_messages: lagOf(now, 'ranking'),
    feed_lag_ms: now.feed?.lagMs ?? null,
    source_lag_ms: largest(now.sources?.lagsMs ?? []),
    swaps_per_second: rate(swapsBetween(before, now), SECOND_MS),
    requests_per_second: rate(requests?.count ?? null, SECOND_MS),
    commit_latency_ms: latencyBetween(before, now),
    request_p50_ms: requests ? quantileMs(requests, 0.5) : null,
    request_p99_ms: requests ? quantileMs(requests, 0.99) : null,
    server_errors_per_minute: rate(requests?.errors ?? null, MINUTE_MS),
    rejects_per_minute: rate(rejectsBetween(before, now), MINUTE_MS),
    failed_jobs: now.failedJobs ?? null,
    dead_letters: now.deadLetters ?? null,
  }
}

function lagOf({ lanes }: Reading, actor: string): number | null {
  const own = lanes?.filter((lane) => lane.actor === actor) ?? []
  return own.length === 0 ? null : own.reduce((sum, { lag }) => sum + lag, 0)
}

const largest = (values: readonly number[]): number | null =>
  values.length === 0 ? null : Math.max(...values)

function swapsBetween(before: Reading | undefined, { feed }: Reading): number | null {
  if (before?.feed === undefined || feed === undefined) return null
  return increaseOf(before.feed.swaps, feed.swaps)
}

/** Lanes that committed nothing since the reading before have no latency. */
function latencyBetween(before: Reading | undefined, { lanes }: Reading): number | null {
  const moved = (lanes ?? []).filter(({ actor, lane, sequence }) => {
    const earlier = before?.lanes?.find((each) => each.actor === actor && each.lane === lane)
    return actor === 'pool' && earlier !== undefined && earlier.sequence < sequence
  })
  return largest(moved.flatMap(({ latencyMs }) => latencyMs ?? []))
}

/** A source that was started again counts under another id, from 0. */
function rejectsBetween(before: Reading | undefined, { sources }: Reading): number | null {
  if (before?.sources === undefined || sources === undefined) return null
  const { rejects } = before.sources
  return Array.from(sources.rejects, ([key, count]) =>
    increaseOf(rejects.get(key) ?? 0, count),
  ).reduce((sum, increase) => sum + increase, 0)
}

const increaseOf = (before: number, now: number): number => (now < before ? now : now - before)

type RequestIncrease = {
  /** Bounds in seconds, ascending, the last one Infinity; each with the requests up to it. */
  upTo: readonly (readonly [bound: number, count: number])[]
  count: number
  errors: number
}

function requestsBetween(before: RequestCounts, now: RequestCounts): RequestIncrease {
  const upTo = Array.from(
    now.upTo,
    ([bound, count]) => [bound, increaseOf(before.upTo.get(bound) ?? 0, count)] as const,
  ).sort(([a], [b]) => a - b)
  const count = upTo.at(-1)?.[1] ?? 0
  return { upTo, count, errors: increaseOf(before.errors, now.errors) }
}

/** By linear interpolation inside a bucket; null without a request. Beyond the last bound it is that bound. */
function quantileMs({ upTo, count }: RequestIncrease, share: number): number | null {
  if (count === 0) return null
  const rank = share * count
  const at = upTo.findIndex(([, reached]) => reached >= rank)
  const [lower, under] = at > 0 ? (upTo[at - 1] ?? [0, 0]) : [0, 0]
  const [upper, reached] = upTo[at] ?? [lower, under]
  if (!Number.isFinite(upper)) return lower * SECOND_MS
  return (lower + ((upper - lower) * (rank - under)) / (reached - under)) * SECOND_MS
}
