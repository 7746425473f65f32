/**
 * Requests whose response this process has in its cache: served before the router matches a route, parses parameters
 * or names the cached response again, and before Koa builds a context.
 *
 * Invariant: a URL is remembered only after its parameters were accepted, only for a route whose response is the same
 * for every key, and never with a key in it. The number of URLs and their length are bounded.
 */
import type { IncomingMessage } from 'node:http'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { History } from '../../sql/history.ts'
import type { AdmissionControl } from '../gateway/admission-control.ts'
import type { Cache } from '../gateway/cache/cache.ts'
import type { Route } from '../routing/route.ts'
import type { Exchange, LoggedRequest } from './access-log.ts'
import { passKnown } from './admission.ts'
import { sendCached } from './send-cached.ts'

/** Route and log fields of a known URL. `cacheName`: the name of its response in the cache. */
type KnownRequest = {
  route: Pick<Route, 'path' | 'family' | 'isOnPages'>
  logged: LoggedRequest
  cacheName: string
}

export type KnownUrls = {
  find(request: IncomingMessage): KnownRequest | undefined
  remember(request: IncomingMessage, known: KnownRequest): void
}

const URLS_MAX = 10_000
const URL_LENGTH_MAX = 1_024
/** A URL that may hold a key, however the key is escaped. */
const MAYBE_KEY = /api_key|ohlcv|%/
/** A cache buster: the URL does not come again. */
const ONCE = /[?&]_=/

export function createKnownUrls(): KnownUrls {
  const byUrl = new LRUCache<string, KnownRequest>({ max: URLS_MAX })
  return {
    find: (request) =>
      isPlainGet(request) && !mayWantText(request) ? byUrl.get(request.url ?? '') : undefined,
    remember(request, known) {
      const { url = '' } = request
      if (!isPlainGet(request) || url.length > URL_LENGTH_MAX) return
      if (MAYBE_KEY.test(url) || ONCE.test(url)) return
      byUrl.set(url, known)
    },
  }
}

/** Resolves at the end of the event-loop turn; all requests of a turn wait for the same promise. */
function createTickEnds(): () => Promise<void> {
  let ends: Promise<void> | undefined
  return () => {
    ends ??= endOfTurn().finally(() => {
      ends = undefined
    })
    return ends
  }
}

type HotPathDeps = {
  cache: Cache
  history: History
  admissionControl: AdmissionControl
  knownUrls: KnownUrls
}

/** Serves a known URL from the cache; every other request continues to its route in `next`. */
export function serveHotPath(
  { cache, history, admissionControl, knownUrls }: HotPathDeps,
  next: (exchange: Exchange) => Promise<void>,
): (exchange: Exchange) => Promise<void> {
  const endOfThisTick = createTickEnds()
  return async (exchange) => {
    const known = knownUrls.find(exchange.req)
    if (known === undefined || cache.known(known.cacheName) === undefined) return next(exchange)
    const { state } = exchange
    state.family = known.route.family
    state.route = known.route.path
    state.logged = known.logged
    try {
      // Responses to all requests that were read in one turn of the event loop leave together at its end: a client
      // with many of them is woken once, instead of once a response.
      const tickEnds = endOfThisTick()
      await passKnown(exchange, admissionControl, known.route.isOnPages ? 'pages' : 'key')
      await tickEnds
      history.assertRetained()
      const served = cache.known(known.cacheName)
      if (served !== undefined) return await sendCached(exchange, served)
    } catch {
      // The route meets the same refusal: the request enters the gate once. Its error is rendered there.
    }
    // Refused, or the response expired during admission.
    return next(exchange)
  }
}

/** A browser that opens a path gets its page, if there is one, and CSV is written from the response: both further on. */
function mayWantText({ headers: { accept } }: IncomingMessage): boolean {
  return accept?.includes('text/') ?? false
}

/** GET without a body and without a header that chooses another answer than the URL. */
function isPlainGet({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers.int64 === undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined
  )
}
