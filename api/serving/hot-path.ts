/**
 * Requests that came before, letter by letter: what a URL asks of a route whose answers are kept, so that
 * a hot one is neither matched nor parsed nor named again, and is answered before Koa hears of it.
 *
 * Law: only what was parsed well is remembered, of routes whose answer is the same for every key, never a URL with a
 * key in it, and nothing of who asked. Both the number of URLs and their length have a bound.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { History } from '../../sql/history.ts'
import type { AdmissionControl } from '../gateway/admission-control.ts'
import type { Cache } from '../gateway/cache/cache.ts'
import { toApiError } from '../routing/error.ts'
import type { Route } from '../routing/route.ts'
import {
  beginRequest,
  type LoggedRequest,
  type LogRequest,
  type RequestState,
} from './access-log.ts'
import { passPlain } from './admission.ts'
import { headersOfAll } from './cors.ts'
import { sendCached } from './send-cached.ts'

export type RepeatedRequest = {
  route: Pick<Route, 'path' | 'family'>
  told: LoggedRequest
  /** Cache key of the response. */
  cacheName: string
}

export type RepeatedRequests = {
  find(request: IncomingMessage): RepeatedRequest | undefined
  remember(request: IncomingMessage, asked: RepeatedRequest): void
}

const URLS_MAX = 10_000
const URL_LENGTH_MAX = 1_024
/** Matches queries that may hold a key, percent-encoded or not. */
const MAYBE_KEY = /api_key|ohlcv|%/
/** A cache buster: the URL never comes again. */
const ONCE = /[?&]_=/

export function createRepeatedRequests(): RepeatedRequests {
  const byUrl = new LRUCache<string, RepeatedRequest>({ max: URLS_MAX })
  return {
    find: (request) => (isPlain(request) ? byUrl.get(request.url ?? '') : undefined),
    remember(request, asked) {
      const { url = '' } = request
      if (!isPlain(request) || url.length > URL_LENGTH_MAX) return
      if (MAYBE_KEY.test(url) || ONCE.test(url)) return
      byUrl.set(url, asked)
    },
  }
}

export type RepeatedDeps = {
  cache: Cache
  /** Of the database: what was kept is not told of one that is not what it was. */
  history: History
  gate: AdmissionControl
  tell: LogRequest
  /** What is not answered here goes its usual way, with what is known of it. */
  next: (request: IncomingMessage, response: ServerResponse, state: RequestState) => void
}

/** What was asked in the same words before, and whose answer this process has: most of what is kept. */
export function answerRepeated(
  askedBefore: RepeatedRequests,
  { cache, history, gate, tell, next }: RepeatedDeps,
): RequestListener {
  const answer = async (
    asked: RepeatedRequest,
    req: IncomingMessage,
    res: ServerResponse,
    state: RequestState,
  ): Promise<void> => {
    state.family = asked.route.family
    state.route = asked.route.path
    state.told = asked.told
    try {
      // Answers to all that was read in this turn leave one behind the other: who reads many of them is
      // woken once, where an answer right behind its request wakes its reader each time.
      const turnEnds = endOfTurn()
      const admission = await passPlain({ req, state }, gate)
      await turnEnds
      history.assertKept()
      const served = cache.known(asked.cacheName)
      // Ended while the gate was asked: the request goes its usual way, and is not counted again.
      if (served === undefined) return next(req, res, state)
      const headers = headersOfAll(state)
      for (const name in admission.headers) headers.push(name, admission.headers[name] as string)
      await sendCached({ req, res, state }, served, headers)
    } catch (fault) {
      // Who is refused learns it on the usual way, too.
      state.refusal = toApiError(fault)
      return next(req, res, state)
    }
    tell({ method: 'GET', path: asked.told.path, res, state })
  }
  return (req, res) => {
    const state = beginRequest()
    const asked = askedBefore.find(req)
    if (asked === undefined || cache.known(asked.cacheName) === undefined) next(req, res, state)
    else void answer(asked, req, res, state)
  }
}

/** GET without a body. */
function isPlain({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined
  )
}
