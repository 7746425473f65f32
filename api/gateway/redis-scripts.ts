/**
 * The gateway's way to Redis: scripts over one connection, each answered within some milliseconds or not
 * at all.
 *
 * Law: Redis away or slow is never a fault of a request. A breaker leaves it alone for a while after some
 * failures; nothing is queued for when it comes back.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Breaker } from '../../domain/circuit-breaker.ts'
import type { Log } from '../../domain/log.ts'
import { connectRedis, type Redis } from '../../streams/redis/connect.ts'

export type Script = (...keysAndMore: (string | number)[]) => Promise<unknown>

export type RedisLink<Name extends string> = {
  scripts: Record<Name, Script>
  /** What the script answers; undefined where Redis is away, slow or left alone for now. */
  ask(run: () => Promise<unknown>): Promise<unknown>
  /** Pipelines the commands issued within. */
  together(work: () => void): void
  end(): void
}

export type RedisLinkOptions<Name extends string> = {
  redisUrl: string
  connectionName: string
  /** Milliseconds that Redis has to answer. */
  answerMs: number
  /** Lua, each with two keys. */
  lua: Record<Name, string>
  /** Log line when Redis is lost. */
  awayText: string
  /** The first of everything takes longer than a request gives it: asked for before any. */
  warmUp: (scripts: Record<Name, Script>) => Promise<unknown>
}

/** Milliseconds that the start waits for the first connection, and for Redis to know the scripts. */
const FIRST_CONNECT_MS = 2_000
/** Milliseconds without an answer after which the connection is taken for lost. */
const SILENCE_MS_MAX = 5_000
const BREAKER = { failuresMax: 5, restMs: 500 }

/** Connects, waiting a little for it; without Redis it goes on trying. */
export async function openRedisLink<Name extends string>(
  options: RedisLinkOptions<Name>,
  log: Log,
): Promise<RedisLink<Name>> {
  const redis = connectScripts(options, log)
  const scripts = redis as unknown as Record<Name, Script>
  const refused = new Promise((resolve) => redis.once('error', resolve))
  const warm = new Promise((resolve) => redis.once('ready', resolve))
    .then(() => options.warmUp(scripts))
    // What fails here fails again when it is asked for, and is counted then.
    .catch(() => {})
  await Promise.race([warm, refused, pause(FIRST_CONNECT_MS, undefined, { ref: false })])
  const breaker = new Breaker(BREAKER)
  return {
    scripts,
    async ask(run) {
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
  const redis = connectRedis(options.redisUrl, log, traits, options.awayText)
  for (const [name, lua] of Object.entries<string>(options.lua)) {
    redis.defineCommand(name, { lua, numberOfKeys: 2 })
  }
  return redis
}

/** Rejects where there is no answer within the bound. By hand: a race of promises took a tenth of the gate. */
function inTime<Answer>(asked: Promise<Answer>, boundMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // An answer that came while this process was busy itself lies there unread: one more look at it.
    const timer = setTimeout(() => setImmediate(() => reject(new Error('late'))), boundMs)
    asked.then(
      (answer) => {
        clearTimeout(timer)
        resolve(answer)
      },
      (fault) => {
        clearTimeout(timer)
        reject(fault)
      },
    )
  })
}
