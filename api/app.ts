/**
 * The application: every response of the API leaves through one pipeline. It never listens and opens nothing.
 *
 * ```
 * access log -> hot path (cached responses of known URLs) -> Koa: CORS -> errors -> bounds of bodies -> compression -> route
 * ```
 */
import type { IncomingMessage, RequestListener } from 'node:http'
import Router from '@koa/router'
import Koa, { type Context, type Middleware, type Next } from 'koa'
import type { Registry } from 'prom-client'
import { consoleRouter } from './admin/console.ts'
import { isOperatorRequest } from './gateway/operator-session.ts'
import type { PageSessions } from './gateway/page-session.ts'
import type { SignInLinks } from './gateway/sign-in-links.ts'
import type { PublicPages } from './gateway/visitors.ts'
import { graphqlSchemaText } from './graphql/fields.ts'
import { graphqlTypeFor } from './graphql/request.ts'
import { graphqlEndpoint } from './graphql/server.ts'
import { boundBodies } from './http/body-limit.ts'
import { compressBodies } from './http/compression.ts'
import { documentRoutes } from './openapi/documents.ts'
import { playground } from './openapi/pages.ts'
import { answerPage, docsRouter, wantsPage } from './openapi/router.ts'
import { textDocumentsRouter } from './openapi/text-documents.ts'
import { openPublicSite, type PublicSite } from './pages/public/router.ts'
import { answersUnknownPage, pagesRouter } from './pages/router.ts'
import { CoverageGaps } from './resources/coverage/gaps.ts'
import { visitorRouter } from './resources/health/version.ts'
import { type RouteListDeps, type RouteOptions, routesWithAudits } from './routes.ts'
import { ApiError, type Family, renderError, toApiError } from './routing/error.ts'
import { writeExact } from './routing/json.ts'
import { pathsOf, type Route, refusingAsOf, routerPath, withVenueNames } from './routing/route.ts'
import { logAccess, loggedRequestOf, type RequestState, shownPath } from './serving/access-log.ts'
import { enter, enterAgain, pass } from './serving/admission.ts'
import { allowCrossOrigin } from './serving/cors.ts'
import { answerEventsRouter } from './serving/events/answers.ts'
import { handleRoute, type RouteDeps } from './serving/handle-route.ts'
import { createKnownUrls, serveHotPath } from './serving/hot-path.ts'
import { expectMethod, type MethodsOf, methodsOfRouters } from './serving/methods.ts'
import type { ApiMetrics } from './serving/metrics.ts'

/** Parts that the API works without, and bounds that have a default. */
export type AppOptions = RouteOptions & {
  /** Origins whose pages may use /mcp, in addition to its own; absent: none. */
  mcpOrigins?: readonly string[] | undefined
  /** Absent: every page and request needs a key. */
  publicPages?: PublicPages | undefined
}

type AppDeps = AppOptions &
  RouteListDeps &
  Omit<RouteDeps, 'knownUrls'> & {
    /** Sessions of browsers that open the pages. */
    sessions: PageSessions
    links: SignInLinks
    /** Absent: nothing is measured. */
    metrics?: ApiMetrics
    /** Registry that `/metrics` publishes to operators. */
    registry?: Registry
    /** Ends streams of events when the API stops. */
    ending?: AbortSignal
    /** Whether the WebSocket feed is on the same server. */
    hasFeed?: boolean
  }

const GRAPHQL_PATH = '/graphql'
const MCP_PATH = '/mcp'
const HANDSHAKE_PATH = '/ws/v1'
/** A query may take as long as two requests of REST: 10 s. */
const GRAPHQL_DEADLINES = 2
/** Families of paths, in the form that the router accepts: in any case, with or without a slash at the end. */
const OPERATORS_PATH = /^\/(?:admin|metrics)(?:\/|$)/i
const SWAPS_PATH = /^\/swaps(?:\/|$)/i
const ANY_GRAPHQL_PATH = /^\/graphql\/?$/i
const ANY_MCP_PATH = /^\/mcp\/?$/i

export function createApp(deps: AppDeps): RequestListener {
  const gaps = new CoverageGaps()
  const { venueNames = 'ids' } = deps
  const declared = routesWithAudits(deps, gaps)
  const routes = withVenueNames(declared.routes, venueNames)
  const audits = withVenueNames(declared.audits, venueNames)
  const documents = documentRoutes([...routes, ...audits], { ...deps, serves: servesOf(deps) })
  const knownUrls = createKnownUrls()
  const site = publicSiteOf(routes, deps)
  const isRoute = (page: string): boolean => routes.some(({ path }) => routerPath(path) === page)
  const routers = [
    // Before the routes: /screener is a page in a browser and a route for programs.
    pagesRouter({ ...deps, site, isRoute }),
    ...(site === undefined ? [] : [site.router]),
    routerOf([...routes, ...refusingAsOf(documents)], { ...deps, knownUrls }),
    routerOf(audits, { ...deps, knownUrls }),
    graphqlRouter([...routes, ...audits], deps),
    answerEventsRouter(deps),
    mcpRouter(routes, gaps, deps),
    docsRouter(),
    textDocumentsRouter(() => graphqlSchemaText([...routes, ...audits])),
    visitorRouter(),
    ...(deps.hasFeed ? [handshakeRouter()] : []),
    ...consoleRouters(deps),
  ]
  const methodsOf = methodsOfRouters(routers)
  const { cache, admissionControl, reader } = deps
  const app = new Koa()
  // An error that reaches Koa's own handler was logged and rendered here.
  app.silent = true
  const states = new WeakMap<IncomingMessage, RequestState>()
  app.use(continueRequest(states))
  app.use(allowCrossOrigin(methodsOf))
  app.use(renderErrors())
  app.use(boundBodies())
  app.use(compressBodies())
  for (const router of routers) app.use(router.routes())
  app.use(refuseUnknown(deps, methodsOf))
  const serveByKoa = app.callback()
  const serve = serveHotPath(
    { cache, admissionControl, knownUrls, history: reader.history },
    (exchange) => {
      states.set(exchange.req, exchange.state)
      return serveByKoa(exchange.req, exchange.res)
    },
  )
  return logAccess(deps, serve)
}

/** First middleware of Koa: continues with the state that the access log began, and adds what its line needs. */
function continueRequest(states: WeakMap<IncomingMessage, RequestState>): Middleware<RequestState> {
  return async (context, next) => {
    const state = states.get(context.req) as RequestState
    context.state = state
    await next()
    state.logged ??= loggedRequestOf(context.path, state.parameters)
  }
}

function routerOf(routes: readonly Route[], deps: RouteDeps): Router {
  const router = new Router()
  const fixed = new Set(routes.flatMap(({ path }) => (path.includes('{') ? [] : [path])))
  // A path without parameters has its own methods only: another route would read its end as a parameter.
  const unlessFixed =
    (handle: Middleware<RequestState>): Middleware<RequestState> =>
    (context, next) =>
      fixed.has(context.path as Route['path']) ? next() : handle(context, next)
  for (const each of routes) {
    const handle = handleRoute(each, deps)
    for (const path of pathsOf(each, routes)) {
      const own = path.includes('{') ? unlessFixed(handle) : handle
      router[each.method ?? 'get'](routerPath(path), own)
    }
  }
  return router
}

function graphqlRouter(routes: readonly Route[], deps: AppDeps): Router {
  const router = new Router()
  const endpoint = graphqlEndpoint(routes, {
    ...deps,
    deadlineMs: GRAPHQL_DEADLINES * deps.deadlineMs,
    enter: (context) => enter(context, deps.admissionControl),
    enterAgain: (context) => enterAgain(context, deps.admissionControl),
  })
  router.register(GRAPHQL_PATH, ['get', 'post'], async (context: Context, next: Next) => {
    context.state.route = GRAPHQL_PATH
    if (context.method === 'HEAD') return await asGet(context, () => endpoint(context, next))
    return wantsPage(context) ? answerPage(context, playground) : endpoint(context, next)
  })
  return router
}

function publicSiteOf(
  routes: readonly Route[],
  { publicPages, ...deps }: AppDeps,
): PublicSite | undefined {
  return publicPages === undefined ? undefined : openPublicSite({ ...deps, routes, publicPages })
}

/** Loaded by the first message: most installations get none. */
function mcpRouter(routes: readonly Route[], gaps: CoverageGaps, deps: AppDeps): Router {
  const router = new Router()
  let endpoint: Promise<(context: Context) => Promise<void>> | undefined
  router.post(MCP_PATH, async (context: Context) => {
    context.state.route = MCP_PATH
    endpoint ??= import('./mcp/server.ts').then(({ mcpEndpoint }) =>
      mcpEndpoint(routes, {
        ...deps,
        gaps,
        enter: (context) => enter(context, deps.admissionControl),
        enterAgain: (context) => enterAgain(context, deps.admissionControl),
      }),
    )
    const serve = await endpoint
    await serve(context)
  })
  return router
}

/** The GraphQL server does not know HEAD: it handles GET, and Koa leaves the body out. */
async function asGet(context: Context, respond: () => Promise<unknown>): Promise<void> {
  context.method = 'GET'
  try {
    await respond()
  } finally {
    context.method = 'HEAD'
  }
}

function servesOf({ adminKey, registry, hasFeed = false, publicPages }: AppDeps) {
  const metrics = adminKey !== undefined && registry !== undefined
  return { metrics, feed: hasFeed, publicPages: publicPages !== undefined }
}

function consoleRouters({ adminKey, operations, registry }: AppDeps): Router[] {
  return adminKey === undefined ? [] : [consoleRouter({ adminKey, operations, registry })]
}

/** Handshakes do not reach Koa; for a request without one the path exists with this one method. */
function handshakeRouter(): Router {
  const router = new Router()
  router.get(HANDSHAKE_PATH, (_, next) => next())
  return router
}

/**
 * Refuses what no router has handled: 405 for a method that the path does not have; for an unknown path 404 with a key
 * (among the paths of operators also with theirs) and 401 without one. A browser gets a page with status 404.
 */
function refuseUnknown(
  {
    admissionControl,
    adminKey,
    publicPages,
  }: Pick<AppDeps, 'admissionControl' | 'adminKey' | 'publicPages'>,
  methodsOf: MethodsOf,
): Middleware {
  return async (context) => {
    const { method, path } = context
    context.state.family = familyOfPath(path)
    expectMethod(method, shownPath(path), methodsOf(path))
    if (await answersUnknownPage(context, publicPages !== undefined)) return
    const isOperators = OPERATORS_PATH.test(path)
    if (!isOperators || !isOperatorRequest(context, adminKey)) await pass(context, admissionControl)
    throw new ApiError('NOT_FOUND', `no route "${context.method} ${shownPath(context.path)}"`)
  }
}

function familyOfPath(path: string): Family {
  if (ANY_GRAPHQL_PATH.test(path)) return 'graphql'
  if (ANY_MCP_PATH.test(path)) return 'mcp'
  return SWAPS_PATH.test(path) ? 'swaps' : 'enveloped'
}

function renderErrors(): Middleware<RequestState> {
  return async (context, next: Next) => {
    try {
      await next()
    } catch (thrown) {
      const error = toApiError(thrown)
      const family = context.state.family ?? familyOfPath(context.path)
      const { status, body, headers } = renderError(error, family)
      context.status = status
      context.set(headers)
      context.body = writeExact(body)
      context.type = family === 'graphql' ? graphqlTypeFor(context) : 'application/json'
      context.state.error = error
    }
  }
}
