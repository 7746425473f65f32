/**
 * A request of a declared route: gate, parameters, what is kept or a read, and the answer.
 *
 * ```
 * GET without a body, its path as it is written -> table of routes -> serve, the answer's headers in one piece
 * any other                                     -> Koa's chain and router -> serve
 * ```
 * Law: both ways answer the same. What the first does not know for certain it leaves to the second.
 */
import type { Context, Middleware } from 'koa'
import { type RequestState, toldOf } from './access-line.ts'
import { expectOperatorRequest } from './admin/session.ts'
import { type AskedBefore, isPlain } from './asked-before.ts'
import { headersOfAll, setHeaders } from './cross-origin.ts'
import { ApiError } from './error.ts'
import type { FeedPlace } from './feed/list-cursor.ts'
import { answerFresh } from './fresh-answer.ts'
import type { Cache } from './gateway/cache.ts'
import { answerKept } from './gateway/cached-answer.ts'
import type { Gate } from './gateway/gate.ts'
import { admitOnce, headersOf, pass } from './pass.ts'
import type { Reader } from './reader.ts'
import { ANYBODY, pathParameters, type Route } from './route.ts'
import { routeTable } from './route-table.ts'

export type ServeDeps = {
  reader: Reader
  gate: Gate
  cache: Cache
  adminKey?: string
  /** Milliseconds that a request may take. */
  deadlineMs: number
  feedPlace?: () => FeedPlace | undefined
}

/** Milliseconds that the database has to end a statement itself before its connection is cut. */
const CUT_AFTER_MS = 500

type Serving = Context & { state: RequestState }
type Params = Readonly<Record<string, string>>
/**
 * Answers with these headers besides its own, names and values in turn; without them those that it has are set on
 * the response.
 */
type Serve = (context: Serving, params: Params, headers?: string[]) => Promise<void>

/** For a router that puts what it found in the path into `params`. */
export function serveRouted(
  declared: Route,
  deps: ServeDeps,
  askedBefore: AskedBefore,
): Middleware<RequestState> {
  const serve = serverOf(declared, deps, askedBefore)
  return (context) => {
    const routed = context as unknown as Serving & { params: Params }
    return serve(routed, routed.params)
  }
}

/** For those that need no router and none of what stands before it. */
export function serveStraight(
  routes: readonly Route[],
  deps: ServeDeps,
  askedBefore: AskedBefore,
): Middleware<RequestState> {
  const straight = routes.filter(({ method, access }) => !method && access !== 'operator')
  const find = routeTable(
    straight.map((each) => ({ path: each.path, serve: serverOf(each, deps, askedBefore) })),
  )
  return async (context, next) => {
    const found = isPlain(context.req) ? find(context.req.url ?? '') : undefined
    if (found === undefined) return next()
    const { state, res } = context
    const headers = headersOfAll(state)
    try {
      await found.route.serve(context as unknown as Serving, found.params, headers)
    } catch (fault) {
      setHeaders(res, headersOfAll(state))
      setHeaders(res, headersOf(state.admission))
      throw fault
    }
  }
}

function serverOf(declared: Route, deps: ServeDeps, askedBefore: AskedBefore): Serve {
  const inPath = pathParameters(declared.path)
  return async (context, params, headers) => {
    const { state } = context
    const beganAt = performance.now()
    state.family = declared.family
    state.route = declared.path
    const { caller, standing } = await admit(declared, context, deps, headers)
    state.parameters = declared.parse(givenTo(inPath, context.query, params))
    const { parameters } = state
    const read = (until: AbortSignal) =>
      declared.respond(parameters, {
        reader: deps.reader,
        signal: until,
        caller,
        ...(standing === undefined ? {} : { standing }),
        ...(deps.feedPlace === undefined ? {} : { feedPlace: deps.feedPlace }),
      })
    const name = declared.cacheName?.(parameters, caller)
    if (name !== undefined && isForAnyKey(declared)) {
      const told = toldOf(context.path, parameters)
      askedBefore.remember(context.req, { route: declared, told, cacheName: name })
    }
    const known = name === undefined ? undefined : deps.cache.known(name)
    // What this process knows needs no deadline.
    if (known !== undefined) return answerKept(context, known, headers)
    const leftMs = deps.deadlineMs + CUT_AFTER_MS - (performance.now() - beganAt)
    const signal = endOf(context, leftMs)
    if (name !== undefined) {
      return answerKept(context, await deps.cache.through(name, signal, read), headers)
    }
    await answerFresh(context, (await read(signal)).body, headers)
  }
}

/** What is kept of it is everybody's who has a key, and nobody's who has none. */
function isForAnyKey({ access, cacheBy }: Route): boolean {
  return access === undefined && cacheBy === undefined
}

/** Query and path as text. A path parameter stands above one of its name in the query. */
function givenTo(
  inPath: readonly string[],
  query: Context['query'],
  params: Params,
): Record<string, unknown> {
  const given: Record<string, unknown> = { ...query }
  for (const name of inPath) given[name] = params[name]
  return given
}

/** Aborts at the deadline, and when the client goes away before its answer. */
export function endOf(context: Pick<Context, 'res'>, deadlineMs: number): AbortSignal {
  const ended = new AbortController()
  const timer = setTimeout(() => {
    ended.abort(new ApiError('GATEWAY_TIMEOUT', 'the request took too long: try again'))
  }, deadlineMs)
  context.res.once('close', () => {
    clearTimeout(timer)
    if (context.res.writableFinished) return
    ended.abort(new ApiError('GATEWAY_TIMEOUT', 'the client went away'))
  })
  return ended.signal
}

/** As the route asks for: nobody in particular, an operator, or a key through the gate. */
async function admit(
  { access }: Route,
  context: Serving,
  { gate, adminKey }: ServeDeps,
  headers: string[] | undefined,
) {
  if (access === 'public') return NOBODY
  if (access === 'operator') {
    context.set('Cache-Control', 'no-store')
    expectOperatorRequest(context, adminKey)
    return NOBODY
  }
  if (headers === undefined) return pass(context, gate)
  const admission = await admitOnce(context, gate)
  headers.push(...headersOf(admission))
  return admission
}

const NOBODY = { caller: ANYBODY, standing: undefined }
