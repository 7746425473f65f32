/**
 * Runs the gateway's Lua scripts over one Redis connection, each with a timeout of some milliseconds.
 *
 * Invariant: no request fails because Redis is down or slow. A circuit breaker skips Redis for a while after a few
 * failures, and no command is queued while it is down.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Breaker } from '../../domain/circuit-breaker.ts'
import type { Log } from '../../domain/log.ts'
import { connectRedis, type Redis } from '../../streams/redis/connect.ts'

export type Script = (...keysAndMore: (string | number)[]) => Promise<unknown>

type RedisLink<Name extends string> = {
  scripts: Record<Name, Script>
  /** Result of the script; undefined if Redis is down or slow, or the circuit breaker is open. */
  request(run: () => Promise<unknown>): Promise<unknown>
  /** Pipelines the commands that `work` issues. */
  together(work: () => void): void
  end(): void
}

type RedisLinkOptions<Name extends string> = {
  redisUrl: string
  connectionName: string
  /** Milliseconds that Redis has to answer. */
  answerMs: number
  /** Lua, each with two keys. */
  lua: Record<Name, string>
  /** How the process continues without Redis, for the log. */
  fallback: string
  /** Runs each script once before the first request: a first call takes longer than the timeout of a request. */
  warmUp: (scripts: Record<Name, Script>) => Promise<unknown>
}

/** Milliseconds that the start waits for the connection and the warm-up of the scripts. */
const FIRST_CONNECT_MS = 2_000
/** Milliseconds without an answer after which the connection counts as lost. */
const SILENCE_MS_MAX = 5_000
const BREAKER = { failuresMax: 5, restMs: 500 }

/** Connects, and waits at most 2 s for it; without Redis it returns and reconnects in the background. */
export async function openRedisLink<Name extends string>(
  options: RedisLinkOptions<Name>,
  log: Log,
): Promise<RedisLink<Name>> {
  const redis = connectScripts(options, log)
  const scripts = redis as unknown as Record<Name, Script>
  const refused = new Promise((resolve) => redis.once('error', resolve))
  const warm = new Promise((resolve) => redis.once('ready', resolve))
    .then(() => options.warmUp(scripts))
    // A failure here repeats on the first request, and the circuit breaker counts it there.
    .catch(() => {})
  await Promise.race([warm, refused, pause(FIRST_CONNECT_MS, undefined, { ref: false })])
  const breaker = new Breaker(BREAKER)
  return {
    scripts,
    async request(run) {
      if (!breaker.allows(performance.now())) return undefined
      try {
        const answer = await inTime(run(), options.answerMs)
        breaker.succeed()
        return answer
      } catch {
        breaker.fail(performance.now())
        return undefined
      }
    },
    together(work) {
      const { stream } = redis
      stream?.cork()
      work()
      stream?.uncork()
    },
    end: () => redis.disconnect(),
  }
}

function connectScripts<Name extends string>(options: RedisLinkOptions<Name>, log: Log): Redis {
  const traits = {
    connectionName: options.connectionName,
    socketTimeout: SILENCE_MS_MAX,
    maxRetriesPerRequest: 0,
    // A request does not wait for Redis to come back.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
  }
  const redis = connectRedis(options.redisUrl, log, traits, options.fallback)
  for (const [name, lua] of Object.entries<string>(options.lua)) {
    redis.defineCommand(name, { lua, numberOfKeys: 2 })
  }
  return redis
}

/** Rejects if there is no answer in time. Not Promise.race, which took a tenth of the CPU of admission. */
export function inTime<Answer>(requested: Promise<Answer>, boundMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // While this process was busy, an answer may have arrived unread: read the socket once more before giving up.
    const timer = setTimeout(() => setImmediate(() => reject(new Error('late'))), boundMs)
    requested.then(
      (answer) => {
        clearTimeout(timer)
        resolve(answer)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
