/**
 * A part that starts while PostgreSQL or NATS is away, or before its schema was migrated, waits for it, with back-off,
 * instead of ending: after a power cut everything starts at once, in any order. An error that waiting does not resolve (a
 * wrong password, a bad URL, a schema that a newer version has cut) ends the part at once.
 */
import type { Log } from '../../domain/log.ts'
import { isLostConnection, isSocketError, sqlCode } from '../../sql/driver/connection-error.ts'
import { expectSchema, SchemaOutdated } from '../../sql/schema/version.ts'
import { isUnanswered } from '../../streams/nats/jetstream.ts'
import { natsHosts } from '../../streams/nats/nats-url.ts'
import { backoffMs, waitUnlessAborted } from '../../workers/runtime/backoff.ts'
import { explainError } from '../cli/explain-error.ts'
import type { ServerUrls } from '../config.ts'
import { withDatabase } from './connections.ts'

/** The option of every command that waits. */
export const EXIT_IF_UNAVAILABLE = {
  type: 'boolean',
  about: 'exit instead of waiting for a server that does not answer',
} as const

type Waiting = {
  log: Log
  signal: AbortSignal
  servers: Pick<ServerUrls, 'databaseUrl' | 'natsUrl'>
  /** Reject instead of waiting. */
  exitIfUnavailable: boolean | undefined
  /** How long to wait before rejecting with the last error; absent: without end. */
  boundMs?: number
  /** The first time that a server does not answer, and each further time. */
  onUnavailable?: (reason: string) => Promise<void> | void
}

/** Connection exceptions, too many connections, and a server that starts, stops or crashed. */
const UNREACHABLE_STATES = /^(08\w{3}|53300|57P0[123])$/

/**
 * Returns the result of `open` as soon as the servers answer; `open` leaves nothing open when it rejects. Undefined
 * after a signal to end. Rejects with errors that waiting does not resolve, or that last beyond `boundMs`.
 */
export async function openWhenReachable<Opened>(
  waiting: Waiting,
  open: () => Promise<Opened>,
): Promise<Opened | undefined> {
  const { log, signal, servers, boundMs = Number.POSITIVE_INFINITY } = waiting
  const endsAt = performance.now() + boundMs
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      return await open()
    } catch (error) {
      const outdated = error instanceof SchemaOutdated ? error : undefined
      const server = unreachableServer(error, servers)
      const leftMs = waiting.exitIfUnavailable ? 0 : endsAt - performance.now()
      if ((outdated ?? server) === undefined || leftMs <= 0) throw error
      const waitMs = Math.min(backoffMs(failures), leftMs)
      const cause = explainError(error)
      if (outdated) log.warn({ waitMs, cause }, 'waiting for the schema')
      else log.warn({ server, waitMs, cause }, 'waiting for a server')
      const awaited = outdated ? `the schema: ${outdated.message}` : server
      await waiting.onUnavailable?.(`waiting for ${awaited}`)
      await waitUnlessAborted(waitMs, signal)
    }
  }
  return undefined
}

/** Rejects when PostgreSQL does not answer, or with SchemaMismatch. */
export async function expectDatabase(databaseUrl: string, applicationName: string): Promise<void> {
  await withDatabase(databaseUrl, { name: applicationName }, expectSchema)
}

/** The server that does not answer, as `PostgreSQL at HOST:PORT`; undefined: it is another error. */
export function unreachableServer(
  error: unknown,
  { databaseUrl, natsUrl }: Waiting['servers'],
): string | undefined {
  const all = error instanceof AggregateError ? [error, ...error.errors] : [error]
  if (!all.some(isUnreachable)) return undefined
  const hosts = natsHosts(natsUrl)
  const isNats = all.some(
    (each) => isUnanswered(each) || hosts.some((host) => host.endsWith(`:${portOf(each)}`)),
  )
  return isNats ? `NATS at ${hosts.join(', ')}` : `PostgreSQL at ${new URL(databaseUrl).host}`
}

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (isSocketError(error) || isLostConnection(error) || isUnanswered(error)) return true
  return UNREACHABLE_STATES.test(sqlCode(error) ?? '')
}

function portOf(error: unknown): string | undefined {
  const { port } = error as { port?: unknown }
  return port === undefined ? undefined : String(port)
}
