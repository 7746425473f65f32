/**
 * Handles a request of a declared route: admission, parameters, and the response, cached or read.
 *
 * ```
 * gate: key -> rate limit --------------.
 *          `-> parameters -> cache -> read -> response
 * ```
 * Invariant: the client learns nothing, errors included, before the gate has admitted the request; where the gate
 * refuses, the work that was begun meanwhile is cancelled.
 */
import type { Context, Middleware } from 'koa'
import type { FeedPosition } from '../../streams/feed/published-commits.ts'
import type { AdmissionControl, Entry } from '../gateway/admission-control.ts'
import type { Cache, Served } from '../gateway/cache/cache.ts'
import { expectOperatorRequest } from '../gateway/operator-session.ts'
import { expectNoBody } from '../http/body-limit.ts'
import { readJsonBody } from '../http/json-body.ts'
import { formOf } from '../routing/body.ts'
import { ANY_CALLER } from '../routing/caller.ts'
import { ApiError } from '../routing/error.ts'
import { statedMoment } from '../routing/reading/as-of.ts'
import type { Reader } from '../routing/reading/reader.ts'
import type { Standbys } from '../routing/reading/standbys.ts'
import { pathParameters, type Route } from '../routing/route.ts'
import { loggedRequestOf, type RequestState } from './access-log.ts'
import { enter, enterAgain } from './admission.ts'
import { CSV_TYPE, csvWriterOf, type Table, wantsCsv } from './csv.ts'
import type { KnownUrls } from './hot-path.ts'
import { integerFormOf } from './integer-form.ts'
import { sendCached } from './send-cached.ts'

export type RouteDeps = {
  reader: Reader
  standbys?: Standbys | undefined
  admissionControl: AdmissionControl
  cache: Cache
  knownUrls: KnownUrls
  /** Key of the operators. */
  adminKey?: string | undefined
  /** Milliseconds that a request may take. */
  deadlineMs: number
  feedPosition?: (() => FeedPosition | undefined) | undefined
}

type RoutedContext = Context & { params: Record<string, string>; state: RequestState }
/** A cached response, or the body of one that was read for this request only. */
type Found = { served: Served } | { body: string; isAccepted?: true }

/** Milliseconds in which the database ends a statement by its own timeout before its connection is destroyed. */
const CUT_AFTER_MS = 500

export function handleRoute(declared: Route, deps: RouteDeps): Middleware<RequestState> {
  const inPath = pathParameters(declared.path)
  const writeCsv = csvWriterOf(declared)
  const deadlineMs = deps.deadlineMs * (declared.deadlines ?? 1)
  return async (koaContext) => {
    const context = koaContext as unknown as RoutedContext
    const endsAt = performance.now() + deadlineMs + CUT_AFTER_MS
    context.state.family = declared.family
    context.state.route = declared.path
    const entry = await enterAs(declared, context, deps)
    const found = await afterAdmission(entry, async () => {
      if (declared.access !== 'public') deps.reader.history.assertRetained()
      const isWithoutBody = declared.method !== undefined && declared.parseBody === undefined
      if (isWithoutBody) expectNoBody(context)
      const parameters = declared.parse(givenTo(inPath, context))
      // Lists of a body are too long for a line of the log.
      context.state.parameters = parameters
      const form = integerFormOf(context.query, context.headers)
      const described =
        form === 'number' ? declared : { ...declared, ...declared.withTextIntegers() }
      const all = { ...parameters, ...(await bodyOf(declared, context)) }
      return find({ declared: described, parameters: all, entry, endsAt }, context, deps)
    })
    const isAccepted = 'isAccepted' in found
    if (writeCsv !== undefined && !isAccepted && wantsCsv(context.req)) {
      sendCsv(context, writeCsv('served' in found ? found.served.cached.body : found.body), found)
      return
    }
    if ('served' in found) {
      await sendCached(context, found.served)
      context.respond = false
      return
    }
    context.type = 'application/json'
    if (isAccepted) context.status = 202
    context.body = found.body
  }
}

/** The cursor of the next page is a header, also as a link to that page, and so is the moment of the rows. */
function sendCsv(context: RoutedContext, { text, nextCursor, asOf }: Table, found: Found): void {
  if ('served' in found) {
    const { isHit, secondsLeft } = found.served
    context.state.cacheOutcome = isHit ? 'hit' : 'miss'
    context.set('X-Cache', context.state.cacheOutcome)
    context.set('Cache-Control', `private, max-age=${secondsLeft}`)
  }
  if (asOf !== undefined) context.set('X-As-Of', asOf)
  if (nextCursor !== undefined) {
    const { pathname, searchParams } = new URL(context.href)
    searchParams.delete('api_key')
    searchParams.set('cursor', nextCursor)
    context.set('X-Next-Cursor', nextCursor)
    context.set('Link', `<${pathname}?${searchParams}>; rel="next"`)
  }
  context.type = CSV_TYPE
  context.body = text
}

/** Fields of the body, checked; none for a route without one. */
async function bodyOf({ body, parseBody }: Route, context: Context) {
  if (body === undefined || parseBody === undefined) return {}
  return parseBody(await readJsonBody(context, formOf(body)))
}

/** Result of `work`. It starts while the gate still decides if the caller has room, else after admission. */
export async function afterAdmission<Result>(
  { hasRoom, admission }: Entry,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!hasRoom) await admission
  const found = work()
  // A refusal of the gate takes precedence over an error of the work.
  found.catch(() => {})
  await admission
  return found
}

/** Aborts at the deadline, or at once where it has passed, when the gate refuses, and when the client disconnects before the response. */
export function endOf(
  { res }: Pick<Context, 'res'>,
  { admission }: Pick<Entry, 'admission'>,
  deadlineMs: number,
): AbortSignal {
  const ended = new AbortController()
  const timer = setTimeout(
    () => {
      ended.abort(new ApiError('GATEWAY_TIMEOUT', 'the request took too long: try again'))
    },
    Math.max(0, deadlineMs),
  )
  admission.catch((refusal) => ended.abort(refusal))
  res.once('close', () => {
    clearTimeout(timer)
    if (res.writableFinished) return
    ended.abort(new ApiError('GATEWAY_TIMEOUT', 'the client disconnected'))
  })
  return ended.signal
}

type RouteRequest = {
  declared: Route
  parameters: Record<string, unknown>
  entry: Entry
  endsAt: number
}

async function find(
  { declared, parameters, entry, endsAt }: RouteRequest,
  context: RoutedContext,
  { reader, standbys, cache, knownUrls, feedPosition, admissionControl }: RouteDeps,
): Promise<Found> {
  const { caller, admission } = entry
  const name = declared.cacheName?.(parameters, caller)
  // The name of an answer as of a slot changes with late events.
  if (name !== undefined && isForAnyKey(declared) && statedMoment(parameters) === undefined) {
    const logged = loggedRequestOf(context.path, parameters)
    knownUrls.remember(context.req, { route: declared, logged, cacheName: name })
  }
  const known = name === undefined ? undefined : cache.known(name)
  // A response that this process has cached needs no deadline.
  if (known !== undefined) return { served: known }
  const signal = endOf(context, entry, endsAt - performance.now())
  const read = (until: AbortSignal) =>
    declared.respond(parameters, {
      reader,
      signal: until,
      caller,
      quota: async () => (await admission).quota,
      mayBegin: true,
      countMore: async (times) => {
        const again = Array.from({ length: times }, () => enterAgain(context, admissionControl))
        await Promise.all(again)
      },
      onReadAge: (ageMs) => {
        context.state.readAgeMs = ageMs
      },
      ...(standbys === undefined ? {} : { standbys }),
      ...(feedPosition === undefined ? {} : { feedPosition }),
    })
  if (name !== undefined) return { served: await cache.through(name, signal, read) }
  const { body, isAccepted } = await read(signal)
  return isAccepted ? { body, isAccepted } : { body }
}

/** Admission as the route requires it: public, by the key of the operators, or by an API key at the gate. */
async function enterAs(
  { access, method, isOnPages }: Route,
  context: RoutedContext,
  { admissionControl, adminKey }: RouteDeps,
): Promise<Entry> {
  if (access === undefined) {
    const entry = await enter(context, admissionControl, isOnPages ? 'pages' : 'key')
    // A request that changes something does not begin before it is admitted.
    return method === undefined ? entry : { ...entry, hasRoom: false }
  }
  if (access === 'operator') {
    context.set('Cache-Control', 'no-store')
    expectOperatorRequest(context, adminKey)
  }
  return {
    caller: ANY_CALLER,
    hasRoom: true,
    admission: Promise.resolve({ caller: ANY_CALLER, headers: {} }),
  }
}

/** Whether the route needs an API key and its cached response is the same for every key. */
function isForAnyKey({ access, cacheBy }: Route): boolean {
  return access === undefined && cacheBy === undefined
}

/** Parameters of query and path as text. Throws where the query contradicts a parameter of the path. */
function givenTo(
  inPath: readonly string[],
  { query, params }: RoutedContext,
): Record<string, unknown> {
  const given: Record<string, unknown> = { ...query }
  for (const name of inPath) {
    const value = params[name]
    if (value !== undefined && Object.hasOwn(query, name) && query[name] !== value) {
      const text = `${name} is given in the path: leave it out of the query`
      throw new ApiError('INVALID_PARAM', text)
    }
    given[name] = value
  }
  return given
}
