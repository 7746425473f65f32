/**
 * The application: routes and middleware in a fixed order. It never listens and opens nothing, so a
 * test may hold it as it is.
 *
 * ```
 * asked before and kept: gate -> answer -> access line
 * else, in Koa: access line -> errors -> CORS -> compression -> route (handle-route.ts)
 * ```
 */
import type { IncomingMessage, RequestListener } from 'node:http'
import Router from '@koa/router'
import Koa, { type Context, type Middleware, type Next } from 'koa'
import compress from 'koa-compress'
import type { Registry } from 'prom-client'
import type { Log } from '../domain/log.ts'
import type { FeedPosition } from '../streams/feed/feed-position.ts'
import type { JobRequests } from '../streams/jobs/job.ts'
import type { BalanceProvider } from '../streams/solana/balances.ts'
import type { MintProvider } from '../streams/solana/mint-provider.ts'
import { consoleRouter } from './admin/console.ts'
import type { Operations } from './admin/operations.ts'
import { adminRoutes } from './admin/v1/routes.ts'
import type { AdmissionControl } from './gateway/admission-control.ts'
import type { Cache } from './gateway/cache/cache.ts'
import type { Usage } from './gateway/limits/usage.ts'
import { isOperatorRequest } from './gateway/operator-session.ts'
import { graphqlTypeFor } from './graphql/request.ts'
import { graphqlEndpoint } from './graphql/server.ts'
import { boundBodies } from './http/body-limit.ts'
import { BROTLI, COMPRESS_FROM_BYTES, GZIP, plainForWhoTakesNone } from './http/compression.ts'
import { documentRoutes } from './openapi/documents.ts'
import { playground } from './openapi/pages.ts'
import { answerPage, docsRouter, wantsPage } from './openapi/router.ts'
import { auditRoutes } from './resources/audit/routes.ts'
import { candleRoutes } from './resources/candles/routes.ts'
import { chartRoutes } from './resources/chart/routes.ts'
import { creditRoutes } from './resources/credits/routes.ts'
import { type CheckJetStream, healthRoutes } from './resources/health/routes.ts'
import { versionRoute, visitorRouter } from './resources/health/version.ts'
import { holdingsRoutes } from './resources/holdings/routes.ts'
import { leaderboardRoutes } from './resources/leaderboard/routes.ts'
import { lotRoutes } from './resources/lots/routes.ts'
import { marketRoutes } from './resources/markets/routes.ts'
import { moverRoutes } from './resources/movers/routes.ts'
import { pairRoutes } from './resources/pairs/routes.ts'
import { reconciliationRequester } from './resources/pnl/request-reconciliation.ts'
import { pnlRoutes } from './resources/pnl/routes.ts'
import { poolEventRoutes } from './resources/pool-events/routes.ts'
import { screenerRoutes } from './resources/screener/routes.ts'
import { searchRoutes } from './resources/search/routes.ts'
import { swapRoutes } from './resources/swaps/routes.ts'
import { tagRoutes } from './resources/tags/routes.ts'
import { tokenStatsRoutes } from './resources/token-stats/routes.ts'
import { tokenRoutes } from './resources/tokens/routes.ts'
import { trendingRoutes } from './resources/trending/routes.ts'
import { walletRoutes } from './resources/wallets/routes.ts'
import { ApiError, type Family, renderError, toApiError } from './routing/error.ts'
import { writeExact } from './routing/json/json.ts'
import { expectMethod, type MethodsOf, methodsOfRouters } from './routing/methods.ts'
import type { Reader } from './routing/reading/reader.ts'
import { pathsOf, type Route, routerPath } from './routing/route.ts'
import {
  type LogRequest,
  type RequestState,
  requestLogger,
  shownPath,
} from './serving/access-log.ts'
import { enter, pass } from './serving/admission.ts'
import { allowCrossOrigin } from './serving/cors.ts'
import { serve } from './serving/handle-route.ts'
import {
  answerRepeated,
  createRepeatedRequests,
  type RepeatedRequests,
} from './serving/hot-path.ts'
import type { ApiMetrics } from './serving/metrics.ts'

export type AppDeps = {
  reader: Reader
  gate: AdmissionControl
  usage: Usage
  cache: Cache
  /** Operators' key; absent: there is no /admin. */
  adminKey?: string
  /** Absent: operators see nothing of workers and jobs. */
  operations?: Operations
  log: Log
  /** Absent: nothing is measured. */
  metrics?: ApiMetrics
  /** What `/metrics` answers operators with. */
  registry?: Registry
  /** Milliseconds that a request may take. */
  deadlineMs: number
  /** Unix ms of the wall clock: what today is, and what is hot. */
  now: () => number
  checkJetStream?: CheckJetStream
  /** How far FEED is read; absent, or without an answer: lists have no `feed_cursor`. */
  feedPlace?: () => FeedPosition | undefined
  /** Whether the WebSocket feed is on the same server. */
  hasFeed?: boolean
  /** Absent: what needs a job answers 503. */
  jobs?: JobRequests
  /** Absent: what wallets hold is known by their swaps alone. */
  balances?: BalanceProvider
  /** Absent: what mints are on chain is not known. */
  mints?: MintProvider
  /** Where callers on too low a tier are sent; absent: to the reference of the API. */
  upgradeUrl?: string
  /** Rows that a leaderboard may read in a request; absent: as many as take some 50 ms. */
  directRowsMax?: number
  /** Pools up to which the screener computes in a request; absent: as many as take some 100 ms. */
  screenedPoolsMax?: number
}

/** Of what Koa writes: GraphQL's answers, pages, documents. */
const COMPRESSION = {
  threshold: COMPRESS_FROM_BYTES,
  deflate: false,
  zstd: false,
  gzip: GZIP,
  br: BROTLI,
} as const
const GRAPHQL_PATH = '/graphql'
const HANDSHAKE_PATH = '/ws/v1'
/** A query may take as long as two requests of REST: 10 s. */
const GRAPHQL_DEADLINES = 2
const UPGRADE_URL = '/docs'
/** What belongs to whom, as the router takes paths: in any case, a slash behind them or not. */
const OPERATORS_PATH = /^\/(?:admin|metrics)(?:\/|$)/i
const SWAPS_PATH = /^\/swaps(?:\/|$)/i
const ANY_GRAPHQL_PATH = /^\/graphql\/?$/i

export function createApp(deps: AppDeps): RequestListener {
  const routes = [
    ...swapRoutes,
    ...poolEventRoutes,
    ...candleRoutes,
    ...marketRoutes(deps),
    ...pairRoutes,
    ...searchRoutes,
    ...screenerRoutes({ ...deps, directPoolsMax: deps.screenedPoolsMax }),
    ...tokenStatsRoutes,
    ...trendingRoutes,
    ...moverRoutes,
    ...pnlRoutes(deps, reconciliationRequester(deps.balances && deps.jobs, deps.now)),
    ...lotRoutes,
    ...walletRoutes,
    ...tagRoutes({ jobs: deps.jobs, now: deps.now, log: deps.log }),
    ...chartRoutes(deps),
    ...holdingsRoutes(deps.balances, deps.now),
    ...leaderboardRoutes(deps),
    ...creditRoutes(deps.usage),
    ...(deps.adminKey === undefined ? [] : adminRoutes(deps.operations)),
    ...tokenRoutes({ ...deps, upgradeUrl: deps.upgradeUrl ?? UPGRADE_URL }),
    ...healthRoutes(deps.checkJetStream),
    versionRoute(),
  ]
  const audits = auditRoutes(deps)
  const documents = documentRoutes([...routes, ...audits], { ...deps, serves: servesOf(deps) })
  const askedBefore = createRepeatedRequests()
  const routers = [
    routerOf([...routes, ...documents], deps, askedBefore),
    routerOf(audits, deps, askedBefore),
    graphqlRouter([...routes, ...audits], deps),
    docsRouter(),
    visitorRouter(),
    ...(deps.hasFeed ? [handshakeRouter()] : []),
    ...consoleRouters(deps),
  ]
  const methodsOf = methodsOfRouters(routers)
  const tell = requestLogger(deps.log, deps.metrics)
  const begun = new WeakMap<IncomingMessage, RequestState>()
  const app = new Koa()
  // What reaches Koa's own handler was logged and rendered here.
  app.silent = true
  app.use(tellWhenDone(tell, begun))
  app.use(renderErrors())
  app.use(allowCrossOrigin(methodsOf))
  app.use(boundBodies())
  app.use(plainForWhoTakesNone())
  app.use(compress(COMPRESSION))
  for (const router of routers) app.use(router.routes())
  app.use(refuseUnknown(deps, methodsOf))
  const answer = app.callback()
  return answerRepeated(askedBefore, {
    ...{ cache: deps.cache, history: deps.reader.history, gate: deps.gate, tell },
    next(request, response, state) {
      begun.set(request, state)
      void answer(request, response)
    },
  })
}

/** `begun`: what is known of requests before Koa hears of them. */
function tellWhenDone(
  tell: LogRequest,
  begun: WeakMap<IncomingMessage, RequestState>,
): Middleware<RequestState> {
  return async (context, next) => {
    context.state = begun.get(context.req) as RequestState
    await next()
    tell(context)
  }
}

function routerOf(routes: readonly Route[], deps: AppDeps, askedBefore: RepeatedRequests): Router {
  const router = new Router()
  for (const each of routes) {
    const answer = serve(each, deps, askedBefore)
    for (const path of pathsOf(each, routes)) {
      router[each.method ?? 'get'](routerPath(path), answer)
    }
  }
  return router
}

function graphqlRouter(routes: readonly Route[], deps: AppDeps): Router {
  const router = new Router()
  const { reader, cache, log, feedPlace } = deps
  const place = feedPlace === undefined ? {} : { feedPlace }
  const deadlineMs = GRAPHQL_DEADLINES * deps.deadlineMs
  const endpoint = graphqlEndpoint(routes, {
    reader,
    cache,
    ...place,
    log,
    deadlineMs,
    enter: (context) => enter(context, deps.gate),
  })
  router.register(GRAPHQL_PATH, ['get', 'post'], async (context: Context, next: Next) => {
    context.state.route = GRAPHQL_PATH
    if (context.method === 'HEAD') return await asGet(context, () => endpoint(context, next))
    return wantsPage(context) ? answerPage(context, playground) : endpoint(context, next)
  })
  return router
}

/** GraphQL knows no HEAD: its answer is that of GET, whose body Koa leaves out. */
async function asGet(context: Context, answer: () => Promise<unknown>): Promise<void> {
  context.method = 'GET'
  try {
    await answer()
  } finally {
    context.method = 'HEAD'
  }
}

function servesOf({ adminKey, registry, hasFeed = false }: AppDeps) {
  return { metrics: adminKey !== undefined && registry !== undefined, feed: hasFeed }
}

function consoleRouters({ adminKey, operations, registry }: AppDeps): Router[] {
  return adminKey === undefined ? [] : [consoleRouter({ adminKey, operations, registry })]
}

/** Handshakes never come here; a request without one finds no route, and its path has this one method. */
function handshakeRouter(): Router {
  const router = new Router()
  router.get(HANDSHAKE_PATH, (_, next) => next())
  return router
}

/**
 * After the routers: a method that the path does not have is 405, for everybody; a path that is none is 404 for
 * whoever has a key, or is an operator where operators' paths are, and 401 without.
 */
function refuseUnknown(
  { gate, adminKey }: Pick<AppDeps, 'gate' | 'adminKey'>,
  methodsOf: MethodsOf,
): Middleware {
  return async (context) => {
    const { method, path } = context
    context.state.family = familyOfPath(path)
    expectMethod(method, shownPath(path), methodsOf(path))
    const isOperators = OPERATORS_PATH.test(path)
    if (!isOperators || !isOperatorRequest(context, adminKey)) await pass(context, gate)
    throw new ApiError('NOT_FOUND', `no route "${context.method} ${shownPath(context.path)}"`)
  }
}

function familyOfPath(path: string): Family {
  if (ANY_GRAPHQL_PATH.test(path)) return 'graphql'
  return SWAPS_PATH.test(path) ? 'swaps' : 'enveloped'
}

function renderErrors(): Middleware<RequestState> {
  return async (context, next: Next) => {
    try {
      await next()
    } catch (fault) {
      const error = toApiError(fault)
      const family = context.state.family ?? familyOfPath(context.path)
      const { status, body, headers } = renderError(error, family)
      context.status = status
      context.set(headers)
      context.body = writeExact(body)
      context.type = family === 'graphql' ? graphqlTypeFor(context) : 'application/json'
      context.state.fault = error
    }
  }
}
