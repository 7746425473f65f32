/**
 * Redis connections of processes that enqueue or run jobs.
 *
 * Law: no caller hangs on Redis: a request ends within its time limit, or with the connection.
 */
import type { Log } from '../../domain/log.ts'
import { connectRedis, type Redis, type RedisTraits } from '../redis/connect.ts'
import { JobsUnavailable } from './job.ts'

/** One for each waiting request, and bullmq's: more would be a leak. */
export const LISTENERS_MAX = 10_000

/** bullmq retries commands without end; requests have separate time limits. */
export function connectJobs(redisUrl: string, log: Log, traits: RedisTraits): Redis {
  const client = connectRedis(redisUrl, log, { maxRetriesPerRequest: null, ...traits })
  client.setMaxListeners(LISTENERS_MAX)
  return client
}

/** The work's result while Redis answers; JobsUnavailable when it is away or silent. */
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
  const lose = (): void => reject(new JobsUnavailable('lost connection to Redis'))
  rejection.catch(() => {})
  // A first attempt that is under way is waited for.
  if (['reconnecting', 'close', 'end'].includes(client.status)) lose()
  client.once('close', lose)
  return { rejection, forget: () => void client.off('close', lose) }
}

/** The work's outcome, or the signal's reason as soon as it is aborted: the work itself continues. */
export async function endedBy<Answer>(signal: AbortSignal, work: Promise<Answer>): Promise<Answer> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = (): void => reject(signal.reason)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work, ended])
  } finally {
    signal.removeEventListener('abort', end)
  }
}
