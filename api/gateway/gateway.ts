/**
 * Opens and closes the gateway of a process: API keys, sessions of pages, rate limiter, usage counts and response cache.
 */
import type { Log } from '../../domain/log.ts'
import { createReader } from '../routing/reading/reader.ts'
import {
  type AdmissionControl,
  createAdmissionControl,
  type VisitorSources,
} from './admission-control.ts'
import { type Cache, openCache } from './cache/cache.ts'
import { createKeyRing, type KeyRing } from './keys/key-ring.ts'
import { type KeyWatch, openKeyWatch } from './keys/key-watch.ts'
import { findKey, listEnded, touchKey } from './keys/keys.ts'
import { openLimitStore } from './limits/limit-store.ts'
import { createLimiter } from './limits/limiter.ts'
import { startUsage, type Usage } from './limits/usage.ts'
import { createPageSessions, type PageSessions } from './page-session.ts'
import { createSignInLinks, type SignInLinks } from './sign-in-links.ts'
import { addressReader, type PublicPages } from './visitors.ts'

export type GatewayOptions = {
  databaseUrl: string
  /** Redis that the API processes share for caching and rate limits; absent: each process has its own. */
  redisUrl?: string
  /** ADMIN_TOKEN: seals the sessions of pages; absent: they end with the process. */
  adminKey?: string | undefined
  /** Prefix of the installation's Redis keys. */
  prefix?: string
  /** Timeout of Redis in milliseconds, after which a request continues without it. */
  redisAnswerMs?: number
  /** Width of the limits' window in quanta of 10 ms, for tests that a slow machine runs for longer; absent: 60 s. */
  limitQuanta?: number
  /** Milliseconds that a cached key is valid without a notification; absent: 25 s. */
  keyBelievedMs?: number
  deadlineMs: number
  now: () => number
  /** Milliseconds of a monotonic clock; absent: that of the process. */
  steadyMs?: () => number
  log: Log
  onDecision?: (isAdmitted: boolean) => void
  /** Absent: every request needs a key. */
  publicPages?: PublicPages | undefined
  onVisit?: VisitorSources['onVisit']
}

type Gateway = {
  /** Every request, and every handshake of a WebSocket, passes it once. */
  admissionControl: AdmissionControl
  /** Notifies open streams that their key has ended. */
  keyWatch: KeyWatch
  ring: KeyRing
  usage: Usage
  cache: Cache
  /** Sessions of browsers. */
  sessions: PageSessions
  links: SignInLinks
  /** Whether the rate limiter works without Redis now. */
  isDegraded(): boolean
  end(): Promise<void>
}

/** Database connections for known keys: authentication must not wait for the connections of list queries. */
const KEY_CONNECTIONS_MAX = 2
/** Database connections for keys not seen before: a client can make up any number of them. */
const STRANGER_CONNECTIONS_MAX = 1

export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { databaseUrl, deadlineMs, now, log } = options
  const { steadyMs = () => performance.now() } = options
  const keys = createReader(databaseUrl, { deadlineMs, connectionsMax: KEY_CONNECTIONS_MAX })
  const strangers = createReader(databaseUrl, {
    deadlineMs,
    connectionsMax: STRANGER_CONNECTIONS_MAX,
  })
  const run: Parameters<typeof startUsage>[0]['run'] = (work) =>
    keys.run(AbortSignal.timeout(deadlineMs), work)
  const ring = createKeyRing({
    find: (hash, isKnown) =>
      isKnown
        ? run((db) => findKey(db, hash))
        : strangers.run(AbortSignal.timeout(deadlineMs), (db) => findKey(db, hash)),
    touch: (id) => run((db) => touchKey(db, id)),
    now,
    steadyMs,
    believedMs: options.keyBelievedMs,
  })
  const keyWatch = openKeyWatch({
    databaseUrl,
    listEnded: (ids) => run((db) => listEnded(db, ids)),
    forget: ring.forget,
    log,
  })
  const usage = startUsage({ run, now, log })
  const openLimiter = async (of: 'limit' | 'visit') =>
    createLimiter({
      store: await openStore(options, of),
      instances: usage.instances,
      now: steadyMs,
      ...(options.limitQuanta === undefined ? {} : { windowQuanta: options.limitQuanta }),
    })
  const limiter = await openLimiter('limit')
  const visitors = await visitorsOf(options, openLimiter)
  const cache = await openCache(options)
  const sessions = createPageSessions(options.adminKey, now)
  return {
    admissionControl: createAdmissionControl({
      ring,
      limiter,
      usage,
      sessions,
      onDecision: options.onDecision,
      visitors,
    }),
    sessions,
    links: createSignInLinks(now),
    isDegraded: limiter.isDegraded,
    keyWatch,
    ring,
    usage,
    cache,
    async end() {
      cache.end()
      limiter.end()
      visitors?.limiter.end()
      await keyWatch.end()
      await usage.end()
      await Promise.all([keys.end(), strangers.end()])
    },
  }
}

/** A limiter of their own: visitors of many addresses evict no key from memory. */
async function visitorsOf(
  { publicPages, onVisit }: GatewayOptions,
  openLimiter: (of: 'visit') => Promise<VisitorSources['limiter']>,
): Promise<VisitorSources | undefined> {
  if (publicPages === undefined) return undefined
  const { requestsMax, proxies } = publicPages
  const limiter = await openLimiter('visit')
  return { limiter, requestsMax, addressOf: addressReader(proxies), onVisit }
}

function openStore(
  { redisUrl, prefix = '', redisAnswerMs, limitQuanta, log }: GatewayOptions,
  of: 'limit' | 'visit',
) {
  if (redisUrl === undefined) return undefined
  const answer = redisAnswerMs === undefined ? {} : { answerMs: redisAnswerMs }
  const window = limitQuanta === undefined ? {} : { windowQuanta: limitQuanta }
  const options = { redisUrl, prefix: `swaptide:${prefix}${of}:`, ...answer, ...window }
  return openLimitStore(options, log)
}
