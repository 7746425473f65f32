/**
 * A connection to Redis of whoever asks for jobs or works on them.
 *
 * Law: nobody hangs on Redis: what is asked ends within its bound, or with the connection.
 */
import { Redis, type RedisOptions } from 'ioredis'
import { endedBy } from '../../domain/abort.ts'
import type { Log } from '../../domain/log.ts'
import { JobsUnavailable } from './job.ts'

/** One a waiting request, and those of bullmq: more would be a leak. */
export const LISTENERS_MAX = 10_000
const RECONNECT_FROM_MS = 50
const RECONNECT_TO_MS = 1_000

/** Workers ask without end; who serves a request gives up by bounds of its own. */
export const CONNECTION = {
  maxRetriesPerRequest: null,
  retryStrategy: (times: number) => Math.min(RECONNECT_TO_MS, RECONNECT_FROM_MS * times),
} satisfies RedisOptions

type Bounds = Pick<RedisOptions, 'enableOfflineQueue' | 'commandTimeout'>

export function connectRedis(redisUrl: string, log: Log, bounds: Bounds): Redis {
  const client = new Redis(redisUrl, { ...CONNECTION, ...bounds })
  client.setMaxListeners(LISTENERS_MAX)
  let isAway = false
  client.on('error', (fault: Error) => {
    if (!isAway) log.warn({ err: fault }, 'Redis cannot be reached')
    isAway = true
  })
  client.on('ready', () => {
    if (isAway) log.info('Redis is back')
    isAway = false
  })
  return client
}

/** The work's answer while Redis is there; JobsUnavailable when it is not, or says nothing. */
export async function answered<Answer>(
  client: Redis,
  answerMs: number,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const bound = AbortSignal.timeout(answerMs)
  const lost = lossOf(client)
  try {
    return await Promise.race([endedBy(bound, work()), lost.rejection])
  } catch (cause) {
    if (cause instanceof JobsUnavailable) throw cause
    throw new JobsUnavailable('Redis does not answer', { cause })
  } finally {
    lost.forget()
  }
}

/** Rejects when the connection is lost, at once when it is away already. */
export function lossOf(client: Redis): { rejection: Promise<never>; forget(): void } {
  const { promise: rejection, reject } = Promise.withResolvers<never>()
  const lose = (): void => reject(new JobsUnavailable('Redis cannot be reached'))
  rejection.catch(() => {})
  // A first attempt that is under way is waited for.
  if (['reconnecting', 'close', 'end'].includes(client.status)) lose()
  client.once('close', lose)
  return { rejection, forget: () => void client.off('close', lose) }
}
