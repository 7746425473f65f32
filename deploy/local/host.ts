// Inputs of the embedded stack from the host and the caller's environment: the variables that its
// tools may see, the cache folder and the memory that its settings are derived from; and the error of a host that
// cannot have the stack.
import { homedir, totalmem } from 'node:os'
import { join } from 'node:path'

export type CallerEnv = Readonly<Record<string, string | undefined>>
export type ToolEnv = Readonly<Record<string, string>> & { PATH: string }

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const PASSED_ON = ['HOME', 'http_proxy', 'https_proxy', 'no_proxy']
/** Root's own cache folder is closed to the account that root's servers run as. */
const ROOT_CACHE = '/var/cache/swaptide'

/** The environment of apt and dpkg: a path that has the system's folders, and the proxies. */
export function toolEnv(env: CallerEnv): ToolEnv {
  const passedOn: Record<string, string> = {}
  for (const name of PASSED_ON) {
    const value = env[name]
    if (value !== undefined) passedOn[name] = value
  }
  const path = env.PATH === undefined ? DEFAULT_PATH : `${env.PATH}:${DEFAULT_PATH}`
  return { ...passedOn, PATH: path }
}

export function defaultCacheDir(uid: number, env: CallerEnv): string {
  if (uid === 0) return ROOT_CACHE
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'swaptide')
  return join(env.HOME || homedir(), '.cache', 'swaptide')
}

/** The machine's memory, or the container's where that is bounded. */
export function memoryBytes(): number {
  const bound = process.constrainedMemory()
  return bound > 0 ? Math.min(bound, totalmem()) : totalmem()
}

const OTHER_WAYS =
  'Set DATABASE_URL, NATS_URL and REDIS_URL to servers of your own (PostgreSQL 17 with ' +
  'TimescaleDB 2.19, NATS 2.10 with JetStream, Redis 8), or run "docker compose -f ' +
  'deploy/compose.yaml up", which is the same stack from images.'

/** This host cannot have the embedded stack: the message names the two other ways to the same three servers. */
export class StackUnavailable extends Error {
  override name = 'StackUnavailable'

  constructor(reason: string, options?: ErrorOptions) {
    super(`the embedded stack cannot be had here: ${reason}. ${OTHER_WAYS}`, options)
  }
}
