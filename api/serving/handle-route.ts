/**
 * One request of a declared route: who asks, what they ask for, and the answer, kept or read.
 *
 * ```
 * gate: key -> window ------------------.
 *           `-> parameters -> cache -> read -> answer
 * ```
 * Law: nothing is told, of faults neither, before the gate has let the request in; where it refuses, what was begun
 * meanwhile is given up.
 */
import type { Context, Middleware } from 'koa'
import type { FeedPosition } from '../../streams/feed/feed-position.ts'
import type { AdmissionControl, Entry } from '../gateway/admission-control.ts'
import type { Cache, Served } from '../gateway/cache/cache.ts'
import { expectOperatorRequest } from '../gateway/operator-session.ts'
import { expectNoBody } from '../http/body-limit.ts'
import type { Body } from '../routing/body.ts'
import { ANYBODY } from '../routing/caller.ts'
import { ApiError } from '../routing/error.ts'
import type { Reader } from '../routing/reading/reader.ts'
import { pathParameters, type Route } from '../routing/route.ts'
import { loggedRequestOf, type RequestState } from './access-log.ts'
import { enter } from './admission.ts'
import type { RepeatedRequests } from './hot-path.ts'
import { sendCached } from './send-cached.ts'
import { answerFresh } from './send-fresh.ts'

export type ServeDeps = {
  reader: Reader
  gate: AdmissionControl
  cache: Cache
  /** Operators' key. */
  adminKey?: string
  /** Milliseconds that a request may take. */
  deadlineMs: number
  feedPlace?: () => FeedPosition | undefined
}

type RoutedContext = Context & { params: Record<string, string>; state: RequestState }
/** An answer that is kept, or the body of one that was read for this request. */
type Found = { served: Served } | { body: Body }

/** Milliseconds that the database has to end a statement itself before its connection is cut. */
const CUT_AFTER_MS = 500

export function serve(
  declared: Route,
  deps: ServeDeps,
  askedBefore: RepeatedRequests,
): Middleware<RequestState> {
  const inPath = pathParameters(declared.path)
  return async (koaContext) => {
    const context = koaContext as unknown as RoutedContext
    const endsAt = performance.now() + deps.deadlineMs + CUT_AFTER_MS
    context.state.family = declared.family
    context.state.route = declared.path
    const entry = await enterAs(declared, context, deps)
    const found = await afterAdmission(entry, async () => {
      if (declared.access !== 'public') deps.reader.history.assertKept()
      if (declared.method !== undefined) expectNoBody(context)
      const parameters = declared.parse(givenTo(inPath, context))
      context.state.parameters = parameters
      return find({ declared, parameters, entry, endsAt }, context, deps, askedBefore)
    })
    if ('body' in found) return answerFresh(context, found.body)
    await sendCached(context, found.served)
    // Koa has nothing left to do.
    context.respond = false
  }
}

/** What the work finds once the gate has let the request in, and before that where it is as good as in. */
export async function afterAdmission<Result>(
  { hasRoom, admission }: Entry,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!hasRoom) await admission
  const found = work()
  // Who is refused is told that, whatever became of the work.
  found.catch(() => {})
  await admission
  return found
}

/** Aborts at the deadline, where the gate refuses, and when the client goes away before its answer. */
export function endOf(
  { res }: Pick<Context, 'res'>,
  { admission }: Pick<Entry, 'admission'>,
  deadlineMs: number,
): AbortSignal {
  const ended = new AbortController()
  const timer = setTimeout(() => {
    ended.abort(new ApiError('GATEWAY_TIMEOUT', 'the request took too long: try again'))
  }, deadlineMs)
  admission.catch((refusal) => ended.abort(refusal))
  res.once('close', () => {
    clearTimeout(timer)
    if (res.writableFinished) return
    ended.abort(new ApiError('GATEWAY_TIMEOUT', 'the client went away'))
  })
  return ended.signal
}

type Asking = {
  declared: Route
  parameters: Record<string, unknown>
  entry: Entry
  endsAt: number
}

async function find(
  { declared, parameters, entry, endsAt }: Asking,
  context: RoutedContext,
  { reader, cache, feedPlace }: ServeDeps,
  askedBefore: RepeatedRequests,
): Promise<Found> {
  const { caller, admission } = entry
  const name = declared.cacheName?.(parameters, caller)
  if (name !== undefined && isForAnyKey(declared)) {
    const told = loggedRequestOf(context.path, parameters)
    askedBefore.remember(context.req, { route: declared, told, cacheName: name })
  }
  const known = name === undefined ? undefined : cache.known(name)
  // A response cached in this process needs no deadline.
  if (known !== undefined) return { served: known }
  const signal = endOf(context, entry, endsAt - performance.now())
  const read = (until: AbortSignal) =>
    declared.respond(parameters, {
      reader,
      signal: until,
      caller,
      standing: async () => (await admission).standing,
      ...(feedPlace === undefined ? {} : { feedPlace }),
    })
  if (name !== undefined) return { served: await cache.through(name, signal, read) }
  return { body: (await read(signal)).body }
}

/** As the route asks for: nobody in particular, an operator, or a key at the gate. */
async function enterAs(
  { access, method }: Route,
  context: RoutedContext,
  { gate, adminKey }: ServeDeps,
): Promise<Entry> {
  if (access === undefined) {
    const entry = await enter(context, gate)
    // What changes something is not begun by whoever may yet be refused.
    return method === undefined ? entry : { ...entry, hasRoom: false }
  }
  if (access === 'operator') {
    context.set('Cache-Control', 'no-store')
    expectOperatorRequest(context, adminKey)
  }
  return {
    caller: ANYBODY,
    hasRoom: true,
    admission: Promise.resolve({ caller: ANYBODY, headers: {} }),
  }
}

/** What is kept of it is everybody's who has a key, and nobody's who has none. */
function isForAnyKey({ access, cacheBy }: Route): boolean {
  return access === undefined && cacheBy === undefined
}

/** Query and path as text. A query that names a path parameter and says otherwise is refused. */
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
