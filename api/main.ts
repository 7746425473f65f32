/**
 * The API as a process has it: database, key ring, cache and application behind a listening HTTP server.
 *
 * Everything that a client can make wait has a bound. `stop` lets requests under way finish, for a
 * while, and cuts what is left.
 */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import type { Log } from '../domain/log.ts'
import type { JobRequests } from '../streams/jobs/job.ts'
import type { BalanceProvider } from '../streams/solana/balances.ts'
import type { MintProvider } from '../streams/solana/mint-provider.ts'
import type { Operations } from './admin/operations.ts'
import { createApp } from './app.ts'
import { type Feed, type FeedSource, openFeed } from './feed/feed.ts'
import { openGateway } from './gateway/gateway.ts'
import { createHttpServer } from './http/http-server.ts'
import type { CheckJetStream } from './resources/health/routes.ts'
import { createReader } from './routing/reading/reader.ts'
import { createApiMetrics } from './serving/metrics.ts'

export type ApiOptions = {
  databaseUrl: string
  /** Where processes share what they keep; absent: each keeps for itself. */
  redisUrl?: string
  /** Prefix of the installation's Redis keys. */
  prefix?: string
  /** Milliseconds that Redis has to answer before a request goes on without it. */
  redisAnswerMs?: number
  /** Milliseconds that a look-up of a key is believed without word of a change. */
  keyBelievedMs?: number
  /** Operators' key for /admin; absent: there is no /admin. */
  adminKey?: string | undefined
  /** 0: any that is free. */
  port: number
  host?: string
  log: Log
  /** Where the process keeps its metrics; absent: a registry of its own. */
  metrics?: Registry
  now?: () => number
  /** Milliseconds of a clock that is never set back; absent: the process's. */
  steadyMs?: () => number
  /** Milliseconds that a request may take before it is cancelled, in the database too. */
  deadlineMs?: number
  /** Milliseconds that a list looks for what fits before it ends a page short. */
  walkMs?: number
  /** Connections of clients at once; WebSockets may be five of six. */
  clientsMax?: number | undefined
  /** Milliseconds in which a client takes nothing of an answer, until it is cut. */
  stallMs?: number
  /** Connections to the database at once. */
  connectionsMax?: number
  /** US dollars a SOL, until swaps of USDC or USDT say so. */
  solUsdFallback?: number | undefined
  /** Milliseconds that `stop` waits for requests under way. */
  drainMs?: number
  checkJetStream?: CheckJetStream
  /** The caller's: it outlives the API. */
  jobs?: JobRequests
  /** What operators see of workers and jobs; the caller's, as the jobs are. */
  operations?: Operations
  /** Absent: what wallets hold is known by their swaps alone. */
  balances?: BalanceProvider
  /** Absent: what mints are on chain is not known. */
  mints?: MintProvider
  /** Where callers on too low a tier are sent. */
  upgradeUrl?: string | undefined
  /** Rows that a leaderboard may read in a request. */
  directRowsMax?: number
  /** Absent: no feeds. */
  feed?: FeedSource
  /** Pools up to which the screener computes in a request. */
  screenedPoolsMax?: number
}

/** `stop` may be called again: it is the same end. */
export type Api = {
  port: number
  url: string
  /** Of SwapStream, where it was asked for. */
  grpcPort?: number
  stop(): Promise<void>
}

/** The WebSockets alone are 10,000 then. */
const CLIENTS_MAX = 12_000
const STALL_MS = 30_000
/** Milliseconds between two looks for connections that became idle while draining. */
const IDLE_CHECK_MS = 50

export async function startApi(options: ApiOptions): Promise<Api> {
  const { databaseUrl, port, host = '127.0.0.1', log } = options
  const { deadlineMs = 5_000, connectionsMax, drainMs = 10_000, now = Date.now } = options
  const limits = connectionsMax === undefined ? {} : { connectionsMax }
  const { solUsdFallback, walkMs } = options
  const reader = createReader(databaseUrl, { deadlineMs, solUsdFallback, walkMs, ...limits })
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
  const onVerdict = metrics.countVerdict
  const gateway = await openGateway({ ...options, deadlineMs, now, onVerdict })
  const { gate, usage, cache } = gateway
  const feedPlace = () => feed?.hub.place()
  const app = createApp({
    ...{ reader, gate, usage, cache, log, deadlineMs, now, feedPlace, metrics, registry },
    hasFeed: options.feed !== undefined,
    ...givenParts(options),
  })
  const endAll = async (): Promise<void> => {
    forget()
    await Promise.all([gateway.end(), reader.end()])
  }
  const { clientsMax = CLIENTS_MAX, stallMs = STALL_MS } = options
  const { server, connections } = createHttpServer(app, {
    connectionsMax: clientsMax,
    stallMs,
    onOverflow: metrics.countOverflow,
  })
  try {
    if (options.feed)
      feed = await openFeed({
        ...{ ...options, ...options.feed, ...gateway, server, reader },
        socketsMax: Math.floor((clientsMax * 5) / 6),
      })
    await listen(server, port, host)
  } catch (fault) {
    await feed?.end()
    await endAll()
    throw fault
  }
  const bound = (server.address() as AddressInfo).port
  const shownHost = host.includes(':') ? `[${host}]` : host
  let stopped: Promise<void> | undefined
  return {
    port: bound,
    url: `http://${shownHost}:${bound}`,
    ...(feed?.grpcPort === undefined ? {} : { grpcPort: feed.grpcPort }),
    stop() {
      // Streams never end by themselves: they are told while the server lets requests finish.
      stopped ??= Promise.all([drain(server, drainMs), feed?.end()]).then(endAll)
      return stopped
    },
  }
}

/** What routes may do without, as far as it was given. */
function givenParts(options: ApiOptions) {
  const { checkJetStream, jobs, operations, balances, mints } = options
  const { adminKey, upgradeUrl, directRowsMax, screenedPoolsMax } = options
  return {
    ...(checkJetStream ? { checkJetStream } : {}),
    ...(jobs ? { jobs } : {}),
    ...(operations ? { operations } : {}),
    ...(balances ? { balances } : {}),
    ...(mints ? { mints } : {}),
    ...(upgradeUrl === undefined ? {} : { upgradeUrl }),
    ...(directRowsMax === undefined ? {} : { directRowsMax }),
    ...(adminKey === undefined ? {} : { adminKey }),
    ...(screenedPoolsMax === undefined ? {} : { screenedPoolsMax }),
  }
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

/** No new connections; those under way may finish, and what has not by then is cut. */
async function drain(server: Server, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const bound = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearInterval(idle)
  clearTimeout(bound)
}
