/**
 * Errors of a connection to a server, by evidence: a code of the socket, or a text of the client of PostgreSQL, whose
 * errors of lost connections and time-outs have no code. Any other error without a code is a bug, and is no connection error.
 */

/** ENOENT is one where a connection was opened, to a Unix socket; elsewhere a file is missing. */
const SOCKET_CODES: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN'],
])

/** How pg and pg-pool begin the errors of a connection that is lost, closed or not made. */
export const LOST_CONNECTION_TEXTS = [
  'Connection terminated',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
  'There was an error establishing an SSL connection',
] as const

/** The SQLSTATE or socket code of an error of the database client, or undefined. */
export function sqlCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' ? code : undefined
}

/** Whether the code of an error of a socket means that no connection was made, or that it was lost. */
export function isSocketError(error: unknown): boolean {
  const code = sqlCode(error)
  if (code === 'ENOENT') return (error as { syscall?: unknown }).syscall === 'connect'
  return code !== undefined && SOCKET_CODES.has(code)
}

/** Whether the client of PostgreSQL reports, without a code, that it has no connection. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error) || error.constructor !== Error) return false
  if (sqlCode(error) !== undefined) return false
  return LOST_CONNECTION_TEXTS.some((text) => error.message.startsWith(text))
}
