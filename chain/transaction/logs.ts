/**
 * Assigns the log lines of programs to the instructions that logged them. Pure.
 *
 * The runtime logs `Program P invoke [n]` for every instruction of a program that it runs, in execution order, so
 * the n-th invocation of P in the logs is the n-th instruction of P. Texts of a program begin with `Program log: `
 * and cannot pass for a line of the runtime. Logs longer than the runtime's limit end with `Log truncated`: later
 * invocations are then missing.
 */

/** Log of one invocation of a program, without the invocations inside it. */
export type InvocationLog = {
  /** Base64 payloads of `Program data:`; several of one call are separated by spaces. */
  readonly payloads: string[]
  /** Base64 payloads of Raydium AMM v4's own form, `Program log: ray_log:`. */
  readonly rayLogs: string[]
  /** Whether the invocation ended before the logs did. */
  isWhole: boolean
}

export type ProgramLogs = {
  /** By program, the invocations in execution order. */
  readonly invocations: ReadonlyMap<string, readonly InvocationLog[]>
  readonly isTruncated: boolean
}

const LINE = 'Program '
const [LETTER_D, LETTER_L, LETTER_R] = [0x64, 0x6c, 0x72]
const EVENT_LINE = 'Program data: '
const RAY_LOG = 'Program log: ray_log: '
const INVOKE = / invoke \[\d+\]$/
export const TRUNCATED = 'Log truncated'

/** Reads the logs of the programs that are wanted; the stack follows all of them. */
export function readLogs(
  logs: readonly unknown[],
  isWanted: (program: string) => boolean,
): ProgramLogs {
  const invocations = new Map<string, InvocationLog[]>()
  const stack: (InvocationLog | undefined)[] = []
  for (const line of logs) {
    if (line === TRUNCATED) return { invocations, isTruncated: true }
    if (typeof line !== 'string' || !line.startsWith(LINE)) continue
    // Most lines are decided by one character or by their end.
    switch (line.charCodeAt(LINE.length)) {
      case LETTER_D:
        if (!line.startsWith(EVENT_LINE)) break
        stack.at(-1)?.payloads.push(line.slice(EVENT_LINE.length))
        continue
      case LETTER_L:
        if (!line.startsWith('Program log: ')) break
        if (line.startsWith(RAY_LOG)) stack.at(-1)?.rayLogs.push(line.slice(RAY_LOG.length))
        continue
      case LETTER_R:
        if (line.startsWith('Program return: ')) continue
    }
    if (line.endsWith(']') && INVOKE.test(line)) {
      const program = line.slice(LINE.length, line.lastIndexOf(' invoke ['))
      stack.push(isWanted(program) ? openInvocation(invocations, program) : undefined)
    } else if (line.endsWith(' success') || line.includes(' failed: ')) {
      const ended = stack.pop()
      if (ended !== undefined) ended.isWhole = true
    }
  }
  return { invocations, isTruncated: false }
}

function openInvocation(invocations: Map<string, InvocationLog[]>, program: string): InvocationLog {
  const log: InvocationLog = { payloads: [], rayLogs: [], isWhole: false }
  const earlier = invocations.get(program)
  if (earlier === undefined) invocations.set(program, [log])
  else earlier.push(log)
  return log
}
