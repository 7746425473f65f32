/**
 * The API as a process: database, gateway, feed and application, served by one HTTP server.
 *
 * Everything that a client can delay is bounded. `stop` lets requests that were accepted finish, for a bounded time,
 * and then closes the rest.
 */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import type { FeedPosition } from '../streams/feed/published-commits.ts'
import { type ReadingSources, readMetrics } from './admin/samples/reading.ts'
import { type Samples, startSampling } from './admin/samples/sampling.ts'
import { type AppOptions, createApp } from './app.ts'
import { type Feed, type FeedSource, openFeed } from './feed/feed.ts'
import { leastSlotOfFeed } from './feed/least-slot.ts'
import type { FeedHub } from './feed/log/hub-interface.ts'
import { SlotChanges } from './feed/slot-changes.ts'
import { type GatewayOptions, openGateway } from './gateway/gateway.ts'
import { createHttpServer } from './http/http-server.ts'
import { LINK_PARAMETER } from './pages/router.ts'
import type { LeastSlotAfter } from './resources/as-of/current-slot.ts'
import { createReader, type Reader } from './routing/reading/reader.ts'
import { openStandbys, type Standbys } from './routing/reading/standbys.ts'
import { createApiMetrics } from './serving/metrics.ts'

/** The caller owns the parts: they outlive the API. */
export type ApiOptions = AppOptions &
  Omit<GatewayOptions, 'deadlineMs' | 'now' | 'onDecision' | 'onVisit'> & {
    /** 0: any free port. */
    port: number
    host?: string
    /** Registry for the metrics of the process; absent: one of its own. */
    metrics?: Registry
    /** Milliseconds between two samples of the metrics. */
    sampleEveryMs?: number
    /** Unix ms of the wall clock; absent: the clock of the process. */
    now?: () => number
    /** Milliseconds after which a request is cancelled, in the database too. */
    deadlineMs?: number
    /** Standbys that reads may go to, while their data is at most so many milliseconds old. */
    standbys?: { readUrls: readonly string[]; ageMsMax: number } | undefined
    /** Milliseconds that a list scans before it ends a page short. */
    walkMs?: number
    /** Connections of clients at once; WebSockets may be five of six. */
    clientsMax?: number | undefined
    /** Milliseconds in which a client reads nothing of a response before its connection is closed. */
    stallMs?: number
    /** Connections to the database at once. */
    connectionsMax?: number
    /** US dollars for a SOL until a swap of USDC or USDT sets the price. */
    solUsdFallback?: number | undefined
    /** Milliseconds that `stop` waits for requests to finish. */
    drainMs?: number
    /** Absent: no feeds. */
    feed?: FeedSource
  }

export type Api = {
  port: number
  url: string
  /** Port of SwapStream, if gRPC is configured. */
  grpcPort?: number
  /** URL that signs one browser in with this key, once and within an hour. */
  signInLink(key: string): string
  stop(): Promise<void>
}

/** Leaves 10,000 to WebSockets. */
const CLIENTS_MAX = 12_000
const STALL_MS = 30_000
const DEADLINE_MS = 5_000
/** Milliseconds between two looks for connections that became idle while draining. */
const IDLE_CHECK_MS = 50

export async function startApi(options: ApiOptions): Promise<Api> {
  const { databaseUrl, port, host = '127.0.0.1', log } = options
  const { deadlineMs = DEADLINE_MS, drainMs = 10_000, now = Date.now } = options
  const reader = readerFor(options)(databaseUrl)
  const forget = reader.history.onLost((lost) =>
    log.error({ err: lost }, 'refusing requests: the database lost its history'),
  )
  const registry = options.metrics ?? new Registry()
  let feed: Feed | undefined
  const metrics = createApiMetrics(registry, {
    isLimiterDegraded: () => gateway.isDegraded(),
    instances: () => gateway.usage.instances(),
    feed: () => feed?.state(),
    clientConnections: () => connections.count(),
    operations: options.operations,
  })
  const { countDecision: onDecision, countOverflow: onOverflow, countVisit: onVisit } = metrics
  const gateway = await openGateway({ ...options, deadlineMs, now, onDecision, onVisit })
  const { admissionControl, usage, cache, sessions, links } = gateway
  const samples = samplesFor(options, now, {
    operations: options.operations,
    requests: metrics.requests,
    feed: () => feed?.state(),
  })
  const feedReads = feedReadsOf(() => feed?.hub)
  const standbys = standbysFor(options, feedReads.feedPosition)
  const ending = new AbortController()
  const app = createApp({
    ...{ ...options, reader, standbys, admissionControl, usage, cache, sessions, links },
    ...{ deadlineMs, now, ...feedReads, metrics, registry, samples, ending: ending.signal },
    hasFeed: options.feed !== undefined,
  })
  const endAll = async (): Promise<void> => {
    forget()
    samples?.stop()
    await Promise.all([gateway.end(), standbys?.end(), reader.end()])
  }
  const { clientsMax = CLIENTS_MAX, stallMs = STALL_MS } = options
  const { server, connections } = createHttpServer(app, {
    ...{ connectionsMax: clientsMax, stallMs, onOverflow },
  })
  try {
    if (options.feed)
      feed = await openFeed({
        ...{ ...options, ...options.feed, ...gateway, server, reader },
        socketsMax: Math.floor((clientsMax * 5) / 6),
      })
    await listen(server, port, host)
  } catch (error) {
    await feed?.end()
    await endAll()
    throw error
  }
  const bound = (server.address() as AddressInfo).port
  const shownHost = host.includes(':') ? `[${host}]` : host
  let stopped: Promise<void> | undefined
  const url = `http://${shownHost}:${bound}`
  return {
    port: bound,
    url,
    signInLink: (key) => `${url}/?${LINK_PARAMETER}=${links.make(key)}`,
    ...(feed?.grpcPort === undefined ? {} : { grpcPort: feed.grpcPort }),
    stop() {
      // Streams never end by themselves: they are closed while the server lets requests finish.
      ending.abort()
      stopped ??= Promise.all([drain(server, drainMs), feed?.end()]).then(endAll)
      return stopped
    },
  }
}

/** Reads of FEED for the routes; without a hub none has a result. */
function feedReadsOf(hub: () => FeedHub | undefined) {
  const leastSlotAfter: LeastSlotAfter = async (from, signal) => {
    const known = hub()
    return known === undefined ? null : leastSlotOfFeed(known, from, signal)
  }
  let changes: SlotChanges | undefined
  const changesUntil = (slot: number): string => {
    const known = hub()
    changes ??= known && new SlotChanges(known)
    return changes?.nameFor(slot) ?? ''
  }
  return { feedPosition: () => hub()?.position(), leastSlotAfter, changesUntil }
}

/** Opens a reader of the primary or of a standby. */
function readerFor(options: ApiOptions): (databaseUrl: string) => Reader {
  const { deadlineMs = DEADLINE_MS, connectionsMax, solUsdFallback, walkMs } = options
  const limits = connectionsMax === undefined ? {} : { connectionsMax }
  return (url) => createReader(url, { deadlineMs, solUsdFallback, walkMs, ...limits })
}

function standbysFor(
  { standbys, ...options }: ApiOptions,
  feedPosition: () => FeedPosition | undefined,
): Standbys | undefined {
  const { databaseUrl, log } = options
  const openReader = readerFor(options)
  return standbys && openStandbys({ ...standbys, databaseUrl, openReader, feedPosition, log })
}

/** Operators alone read samples. */
function samplesFor(
  { adminKey, sampleEveryMs: everyMs, log }: ApiOptions,
  now: () => number,
  sources: ReadingSources,
): Samples | undefined {
  if (adminKey === undefined) return undefined
  return startSampling({ read: () => readMetrics(sources), everyMs, now, log })
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Stops accepting connections, lets open requests finish, and closes the remaining connections after `drainMs`. */
async function drain(server: Server, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const bound = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearInterval(idle)
  clearTimeout(bound)
}
