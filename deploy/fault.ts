/**
 * An error as one sentence for the person at the terminal. Connection faults of the three servers
 * have codes and addresses but no sentence of their own.
 */

type Coded = Error & { code?: unknown; address?: unknown; port?: unknown }

export function explainFault(fault: unknown): string {
  if (fault instanceof AggregateError && fault.message === '' && fault.errors.length > 0) {
    return explainFault(fault.errors[0])
  }
  if (!(fault instanceof Error)) return String(fault)
  const { code, address, port, message } = fault as Coded
  if (code === 'ECONNREFUSED' && port !== undefined) {
    return `nothing answers at ${address}:${port}: is the server running?`
  }
  if (code === 'ENOTFOUND') return `${message}: is the host name right?`
  const cause = fault.cause instanceof Error ? fault.cause.message : ''
  const text = message === '' ? fault.name : message
  return cause === '' || text.includes(cause) ? text : `${text}: ${cause}`
}
