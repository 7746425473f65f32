/**
 * Explains an error as one sentence for the terminal. Connection errors of the servers have a code and an address but
 * no message of their own.
 */
import { isLeaderless } from '../../streams/nats/publish-ack.ts'

type Coded = Error & {
  code?: unknown
  address?: unknown
  port?: unknown
  path?: unknown
  syscall?: unknown
}

/** Reasons why a file or folder cannot be written, each with what to do. */
const UNWRITABLE: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only: set SWAPTIDE_HOME to a folder that can be written',
  EACCES: 'permission denied: set SWAPTIDE_HOME to a folder that this account may write',
  EPERM: 'not permitted: set SWAPTIDE_HOME to a folder that this account may write',
  ENOSPC: 'no space left on the device: free some, or set SWAPTIDE_HOME to another one',
  ENOTDIR: 'a part of its path is not a folder: set SWAPTIDE_HOME to another one',
}

/** System calls that write. */
const WRITES = new Set([
  'mkdir',
  'rename',
  'symlink',
  'link',
  'chmod',
  'chown',
  'copyfile',
  'write',
])

export function explainError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '' && error.errors.length > 0) {
    return explainError(error.errors[0])
  }
  if (!(error instanceof Error)) return String(error)
  const { code, address, port, path, syscall, message } = error as Coded
  if (code === 'ECONNREFUSED' && port !== undefined) {
    return `nothing answers at ${address}:${port}: is the server running?`
  }
  if (isLeaderless(error)) {
    return 'NATS has no leader now: most of its nodes are away, or they elect one: try again'
  }
  if (code === 'ENOTFOUND') return `${message}: is the host name right?`
  const unwritable = UNWRITABLE[String(code)]
  if (unwritable !== undefined && path !== undefined && WRITES.has(String(syscall))) {
    return `cannot write "${path}": ${unwritable}`
  }
  const cause = error.cause instanceof Error ? error.cause.message : ''
  const text = message === '' ? error.name : message
  return cause === '' || text.includes(cause) ? text : `${text}: ${cause}`
}
