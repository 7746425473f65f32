/**
 * The gateway as a process has it: keys, limits, counts and what is kept, opened and ended together.
 */
import type { Log } from '../../domain/log.ts'
import { createReader } from '../routing/reading/reader.ts'
import { type AdmissionControl, createAdmissionControl } from './admission-control.ts'
import { type Cache, openCache } from './cache/cache.ts'
import { createKeyRing, type KeyRing } from './keys/key-ring.ts'
import { type KeyWatch, openKeyWatch } from './keys/key-watch.ts'
import { findKey, listEnded, touchKey } from './keys/keys.ts'
import { openLimitStore } from './limits/limit-store.ts'
import { createLimiter } from './limits/limiter.ts'
import { startUsage, type Usage } from './limits/usage.ts'

export type GatewayOptions = {
  databaseUrl: string
  /** Where processes share what they keep and count; absent: each for itself. */
  redisUrl?: string
  /** Prefix of the installation's Redis keys. */
  prefix?: string
  /** Milliseconds that Redis has to answer before a request goes on without it. */
  redisAnswerMs?: number
  /** Milliseconds that a look-up of a key is believed without word of a change; absent: 25 s. */
  keyBelievedMs?: number
  deadlineMs: number
  now: () => number
  /** Milliseconds of a clock that is never set back; absent: the process's. */
  steadyMs?: () => number
  log: Log
  onVerdict?: (isAdmitted: boolean) => void
}

export type Gateway = {
  /** Passed once by every request, and by every handshake of a stream. */
  gate: AdmissionControl
  /** Tells whoever stands on a key, such as an open stream, that it has ended. */
  keyWatch: KeyWatch
  ring: KeyRing
  usage: Usage
  cache: Cache
  /** Whether requests are counted without Redis just now. */
  isDegraded(): boolean
  end(): Promise<void>
}

/** Connections for keys: they must be found while lists wait for theirs. */
const KEY_CONNECTIONS_MAX = 2
/** For keys that were not there yet: anybody can make up as many as he likes. */
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
  const limiter = createLimiter({
    store: await openStore(options),
    instances: usage.instances,
    now: steadyMs,
  })
  const cache = await openCache(options)
  return {
    gate: createAdmissionControl({ ring, limiter, usage, onVerdict: options.onVerdict }),
    isDegraded: limiter.isDegraded,
    keyWatch,
    ring,
    usage,
    cache,
    async end() {
      cache.end()
      limiter.end()
      await keyWatch.end()
      await usage.end()
      await Promise.all([keys.end(), strangers.end()])
    },
  }
}

function openStore({ redisUrl, prefix = '', redisAnswerMs, log }: GatewayOptions) {
  if (redisUrl === undefined) return undefined
  const answer = redisAnswerMs === undefined ? {} : { answerMs: redisAnswerMs }
  return openLimitStore({ redisUrl, prefix: `swaptide:${prefix}limit:`, ...answer }, log)
}
