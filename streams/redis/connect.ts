/**
 * Opens every Redis connection of the project. A lost connection is retried without end, the delay growing to a
 * second; an outage is logged once when it begins and once when it ends. Callers choose what happens to requests
 * meanwhile: job workers wait, requests of the API fail at once.
 */
import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from '../../domain/log.ts'

export type { Redis } from 'ioredis'

const RECONNECT_FROM_MS = 50
const RECONNECT_TO_MS = 1_000

export type RedisTraits = Pick<
  RedisOptions,
  | 'autoResendUnfulfilledCommands'
  | 'commandTimeout'
  | 'connectionName'
  | 'enableOfflineQueue'
  | 'lazyConnect'
  | 'maxRetriesPerRequest'
  | 'socketTimeout'
>

/**
 * `fallback`: behaviour of the caller during an outage, a field of the log line. `commandTimeout` bounds the commands of a
 * connection, not its handshake: a process that starts alongside many others may take longer for it, and would reconnect.
 */
export function connectRedis(
  redisUrl: string,
  log: Log,
  traits: RedisTraits,
  fallback?: string,
): Redis {
  const { commandTimeout, ...others } = traits
  const redis = new Redis(redisUrl, {
    ...others,
    retryStrategy: (times) => Math.min(RECONNECT_TO_MS, RECONNECT_FROM_MS * times),
  })
  let isAway = false
  redis.on('error', (error: Error) => {
    if (!isAway) log.warn({ cause: error.message, fallback }, 'lost connection to Redis')
    isAway = true
  })
  redis.on('close', () => {
    delete redis.options.commandTimeout
  })
  redis.on('ready', () => {
    if (commandTimeout !== undefined) redis.options.commandTimeout = commandTimeout
    if (isAway) log.info('reconnected to Redis')
    isAway = false
  })
  return redis
}
