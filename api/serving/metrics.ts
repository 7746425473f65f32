/**
 * Prometheus metrics of an API process: its own (requests, rate limiter, feeds), and those that every process
 * reports alike (lanes, job queues, dead letters).
 *
 * Invariant: a label value comes from the code, never from a client, so cardinality is bounded. A scrape never fails
 * and waits 3 s at most: a source that does not answer by then is left out and counted as a failure.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { boundedRead } from '../admin/bounded-read.ts'
import type { Operations } from '../admin/operations.ts'
import type { RequestCounts } from '../admin/samples/sample.ts'
import type { VisitOutcome } from '../gateway/admission-control.ts'
import type { Overflow } from '../http/connection-limit.ts'
import { measureHistory } from './operator-metrics/history.ts'
import { measureSources, measureWarnings } from './operator-metrics/sources.ts'

/** A finished request. `route`: the pattern of its route; absent: no route matched. */
type AnsweredRequest = {
  method: string
  route?: string | undefined
  status: number
  seconds: number
  /** `hit` or `miss` for a cached route; empty for others. */
  cacheOutcome: string
}

export type ApiMetrics = {
  /** Requests of clients so far; those of operators are left out. */
  requests(): Promise<RequestCounts>
  observe(request: AnsweredRequest): void
  /** Counts a rate-limit decision. */
  countDecision(isAdmitted: boolean): void
  /** Counts a decision about a visitor without a key. */
  countVisit(outcome: VisitOutcome): void
  countOverflow(outcome: Overflow): void
}

type MetricSources = {
  isLimiterDegraded: () => boolean
  /** Live API processes, as far as this one knows. */
  instances: () => number
  clientConnections: () => number
  /** Absent: no feeds. */
  feed: () => FeedState | undefined
  operations: Operations | undefined
}

/**
 * `readers`: clients by transport; `swaps`: swaps of FEED that were read since the start; `unreadable`, `lost`: messages of
 * FEED that were skipped, or found lost.
 */
export type FeedState = {
  readers: Record<string, number>
  head: number
  swaps: number
  tailLagMs: number
  unreadable: number
  lost: number
}

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Requests of the console and of Prometheus. */
const OPERATORS_ROUTE = /^\/(?:admin|metrics)(?:\/|$)/
/** Sizes and late rows are read of every chunk. */
const HISTORY_HELD_MS = 30_000
/** Methods with a label of their own; all others share one, because a client may invent methods. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export function createApiMetrics(registry: Registry, sources: MetricSources): ApiMetrics {
  const registers = [registry]
  const requests = new Histogram({
    name: 'swaptide_http_request_duration_seconds',
    help: 'Requests by route (its pattern), method and status, from their headers to their answer',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: REQUEST_BUCKETS,
    registers,
  })
  const cachedResponses = new Counter({
    name: 'swaptide_cache_answers_total',
    help: 'Responses of cached routes, by whether they were in the cache (hit) or read (miss)',
    labelNames: ['outcome'] as const,
    registers,
  })
  const decisions = new Counter({
    name: 'swaptide_limiter_verdicts_total',
    help: 'Requests that the rolling window let in (admitted) or not (refused)',
    labelNames: ['verdict'] as const,
    registers,
  })
  const visits = countVisits(registry)
  const overflows = new Counter({
    name: 'swaptide_client_connections_overflow_total',
    help: 'Connections that were cut while idle (shed), or not let in (refused), for want of room',
    labelNames: ['outcome'] as const,
    registers,
  })
  for (const outcome of ['shed', 'refused']) overflows.inc({ outcome }, 0)
  for (const outcome of ['hit', 'miss']) cachedResponses.inc({ outcome }, 0)
  for (const decision of ['admitted', 'refused']) decisions.inc({ verdict: decision }, 0)
  measureOwn(registry, sources)
  if (sources.operations !== undefined) measureOperations(registry, sources.operations)
  return {
    requests: async () => requestCountsOf((await requests.get()).values),
    observe({ method, route = 'none', status, seconds, cacheOutcome }) {
      requests.observe({ method: METHODS.has(method) ? method : 'other', route, status }, seconds)
      if (cacheOutcome !== '') cachedResponses.inc({ outcome: cacheOutcome })
    },
    countDecision: (isAdmitted) => decisions.inc({ verdict: isAdmitted ? 'admitted' : 'refused' }),
    countVisit: (outcome) => visits.inc({ outcome }),
    countOverflow: (outcome) => overflows.inc({ outcome }),
  }
}

function countVisits(registry: Registry): Counter<'outcome'> {
  const visits = new Counter({
    name: 'swaptide_public_requests_total',
    help: 'Requests without a key to public pages: admitted, over the limit of their address (limited), without room in the feed (crowded)',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  for (const outcome of ['admitted', 'limited', 'crowded']) visits.inc({ outcome }, 0)
  return visits
}

type Counted = {
  metricName?: string
  value: number
  labels: { le?: string | number; route?: string | number; status?: string | number }
}

function requestCountsOf(values: readonly Counted[]): RequestCounts {
  const upTo = new Map<number, number>()
  let errors = 0
  for (const { metricName = '', value, labels } of values) {
    if (OPERATORS_ROUTE.test(String(labels.route))) continue
    if (metricName.endsWith('_bucket')) {
      const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le)
      upTo.set(bound, (upTo.get(bound) ?? 0) + value)
    } else if (metricName.endsWith('_count') && Number(labels.status) >= 500) errors += value
  }
  return { upTo, errors }
}

/** Metrics of this process only. */
function measureOwn(registry: Registry, sources: MetricSources): void {
  const registers = [registry]
  new Gauge({
    name: 'swaptide_limiter_degraded',
    help: '1 while this process counts requests without Redis',
    registers,
    collect() {
      this.set(sources.isLimiterDegraded() ? 1 : 0)
    },
  })
  new Gauge({
    name: 'swaptide_api_instances',
    help: 'Live processes of the API, as this one knows',
    registers,
    collect() {
      this.set(sources.instances())
    },
  })
  new Gauge({
    name: 'swaptide_client_connections',
    help: 'Connections of clients that are open: requests and WebSockets',
    registers,
    collect() {
      this.set(sources.clientConnections())
    },
  })
  measureFeed(registry, sources)
}

function measureFeed(registry: Registry, sources: MetricSources): void {
  const registers = [registry]
  new Gauge({
    name: 'swaptide_feed_readers',
    help: 'Clients of the feeds in this process',
    labelNames: ['transport'] as const,
    registers,
    collect() {
      for (const [transport, count] of Object.entries(sources.feed()?.readers ?? {})) {
        this.set({ transport }, count)
      }
    },
  })
  new Gauge({
    name: 'swaptide_feed_tail_lag_seconds',
    help: 'Seconds since this process last had read all of FEED',
    registers,
    collect() {
      this.set((sources.feed()?.tailLagMs ?? 0) / 1_000)
    },
  })
  new Gauge({
    name: 'swaptide_feed_head_sequence',
    help: 'The newest message of FEED that this process has read',
    registers,
    collect() {
      this.set(sources.feed()?.head ?? 0)
    },
  })
  new Counter({
    name: 'swaptide_feed_swaps_total',
    help: 'Swaps of FEED that this process has read since its start',
    registers,
    collect() {
      this.reset()
      this.inc(sources.feed()?.swaps ?? 0)
    },
  })
  new Gauge({
    name: 'swaptide_feed_unreadable_messages',
    help: 'Messages of FEED that this process could not decode, in whole or in part',
    registers,
    collect() {
      this.set(sources.feed()?.unreadable ?? 0)
    },
  })
  new Gauge({
    name: 'swaptide_feed_lost_messages',
    help: 'Messages of FEED that this process found lost to a damaged file, and reported to its subscribers',
    registers,
    collect() {
      this.set(sources.feed()?.lost ?? 0)
    },
  })
}

function measureTables(
  registry: Registry,
  { sources, warnings, history }: Operations,
  onFailure: (source: string) => void,
): void {
  measureSources(
    registry,
    sharedRead(sources, () => onFailure('sources')),
  )
  measureWarnings(
    registry,
    sharedRead(warnings, () => onFailure('warnings')),
  )
  measureHistory(
    registry,
    heldFor(
      HISTORY_HELD_MS,
      sharedRead(history, () => onFailure('history')),
    ),
  )
}

/** Metrics that every process reports alike: aggregate by max over instances. */
function measureOperations(registry: Registry, operations: Operations): void {
  const registers = [registry]
  const failures = countFailures(registry)
  const lanes = sharedRead(operations.lanes, () => failures.inc({ source: 'lanes' }))
  const queues = sharedRead(operations.queues, () => failures.inc({ source: 'queues' }))
  const waiting = sharedRead(operations.countDeadLetters, () =>
    failures.inc({ source: 'dead_letters' }),
  )
  measureTables(registry, operations, (source) => failures.inc({ source }))
  const ofLane = (
    name: string,
    help: string,
    value: (lane: Awaited<ReturnType<Operations['lanes']>>[number]) => number | null,
  ): void => {
    new Gauge({
      name,
      help,
      labelNames: ['actor', 'lane'] as const,
      registers,
      async collect() {
        this.reset()
        for (const state of (await lanes()) ?? []) {
          const measured = value(state)
          if (measured !== null) this.set({ actor: state.actor, lane: state.lane }, measured)
        }
      },
    })
  }
  ofLane(
    'swaptide_lane_lag_messages',
    'Messages that a lane has not committed yet',
    ({ lag }) => lag,
  )
  ofLane(
    'swaptide_lane_commit_age_seconds',
    'Seconds since the last commit of a lane',
    ({ age_ms: ms }) => (ms === null ? null : ms / 1_000),
  )
  ofLane('swaptide_lane_owned', '1 where a worker owns the lane', ({ owner }) =>
    owner === null ? 0 : 1,
  )
  new Gauge({
    name: 'swaptide_queue_jobs',
    help: 'Jobs by queue and state',
    labelNames: ['queue', 'state'] as const,
    registers,
    async collect() {
      this.reset()
      for (const { name: queue, waiting: waits, active, delayed, failed } of (await queues()) ??
        []) {
        const states = { waiting: waits, active, delayed, failed }
        for (const [state, count] of Object.entries(states)) this.set({ queue, state }, count)
      }
    },
  })
  new Gauge({
    name: 'swaptide_dead_letters_waiting',
    help: 'Dead letters that were not retried',
    registers,
    async collect() {
      const count = await waiting()
      this.reset()
      if (count !== undefined) this.set(count)
    },
  })
}

const SCRAPED = ['lanes', 'queues', 'dead_letters', 'sources', 'warnings', 'history']

/** Parts of a scrape that could not be read, by source. */
function countFailures(registry: Registry): Counter<'source'> {
  const failures = new Counter({
    name: 'swaptide_scrape_failures_total',
    help: 'Times that a part of a scrape was left out, because its server did not answer',
    labelNames: ['source'] as const,
    registers: [registry],
  })
  for (const source of SCRAPED) failures.inc({ source }, 0)
  return failures
}

/** A value for so long after it was read: for what is expensive to read and moves slowly. */
function heldFor<Value>(
  ms: number,
  read: () => Promise<Value | undefined>,
): () => Promise<Value | undefined> {
  let [held, heldUntil]: [Value | undefined, number] = [undefined, 0]
  return async () => {
    if (held !== undefined && performance.now() < heldUntil) return held
    held = await read()
    heldUntil = performance.now() + ms
    return held
  }
}

/** One read for all gauges of a scrape; undefined where it fails or takes too long. */
function sharedRead<Value>(
  read: () => Promise<Value>,
  onFailure: () => void,
): () => Promise<Value | undefined> {
  let under: Promise<Value | undefined> | undefined
  const bounded = async (): Promise<Value | undefined> => {
    const value = await boundedRead(read)
    under = undefined
    if (value === undefined) onFailure()
    return value
  }
  return () => {
    under ??= bounded()
    return under
  }
}
