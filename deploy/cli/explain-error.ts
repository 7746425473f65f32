/**
 * An error as one sentence for the person at the terminal. Connection faults of the three servers
 * have codes and addresses but no sentence of their own.
 */

type Coded = Error & {
  code?: unknown
  address?: unknown
  port?: unknown
  path?: unknown
  syscall?: unknown
}

/** Why a file or folder of ours cannot be written, and what mends it. */
const UNWRITABLE: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only: set SWAPTIDE_HOME to a folder that can be written',
  EACCES: 'permission denied: set SWAPTIDE_HOME to a folder that this account may write',
  EPERM: 'not permitted: set SWAPTIDE_HOME to a folder that this account may write',
  ENOSPC: 'no space left on the device: free some, or set SWAPTIDE_HOME to another one',
  ENOTDIR: 'a part of its path is not a folder: set SWAPTIDE_HOME to another one',
}

/** Calls that write, whatever their error. */
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

export function explainFault(fault: unknown): string {
  if (fault instanceof AggregateError && fault.message === '' && fault.errors.length > 0) {
    return explainFault(fault.errors[0])
  }
  if (!(fault instanceof Error)) return String(fault)
  const { code, address, port, path, syscall, message } = fault as Coded
  if (code === 'ECONNREFUSED' && port !== undefined) {
    return `nothing answers at ${address}:${port}: is the server running?`
  }
  if (code === 'ENOTFOUND') return `${message}: is the host name right?`
  const unwritable = UNWRITABLE[String(code)]
  if (unwritable !== undefined && path !== undefined && WRITES.has(String(syscall))) {
    return `cannot write "${path}": ${unwritable}`
  }
  const cause = fault.cause instanceof Error ? fault.cause.message : ''
  const text = message === '' ? fault.name : message
  return cause === '' || text.includes(cause) ? text : `${text}: ${cause}`
}
