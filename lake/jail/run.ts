/**
 * Runs a query in a program of its own: limits of the operating system on memory, written files, open files and core dumps, an empty
 * environment, and SIGKILL at the deadline or when the caller gives up.
 *
 * Law: an answer is whole or names the bound that cut it; a program that ends in any other way is an error, never a shorter
 * answer.
 *
 * Decision: docs/decisions/0110-sql-reads-daily-files.md
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import {
  CHANNEL,
  type Failure,
  type Head,
  MEMORY_MIB,
  OPEN_FILES,
  type QueryLimits,
  type Refusal,
  type ResultColumn,
  type Tail,
  type Truncation,
} from './limits.ts'

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url))
const DUCK = '@duckdb/node-api'
/** The version of the tests: all of its versions are pre-releases, which no range names. */
export const DUCK_INSTALLED_BY = `npm install ${DUCK}@1.5.6-r.1`
/** The shell sets the limits of itself and becomes the program. */
const LIMITED = 'ulimit -c 0; ulimit -f 0; ulimit -n "$1"; ulimit -d "$2"; shift 2; exec "$@"'
/** Bytes of standard error that are read for the log. */
const COMPLAINT_BYTES_MAX = 4_096

/** A query without an answer. `refusal`: the reason. */
export class QueryRefused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal, message: string, options?: ErrorOptions) {
    super(message, options)
    this.refusal = refusal
  }
}

/** `rows`: a JSON array each, integers as digits. */
export type QueryAnswer = {
  readonly columns: readonly ResultColumn[]
  readonly rows: readonly string[]
  readonly truncated: Truncation
}

type QueryWanted = {
  readonly sql: string
  /** Paths of the swaps' files; at least one. */
  readonly paths: readonly string[]
  readonly limits: QueryLimits
  readonly signal: AbortSignal
}

/** Rejects with QueryRefused, or with the signal's reason. */
export async function runQuery({ sql, paths, limits, signal }: QueryWanted): Promise<QueryAnswer> {
  signal.throwIfAborted()
  expectDuck()
  const files = paths.map((path) => resolve(path))
  const child = start(files.length)
  const deadline = AbortSignal.timeout(limits.ms)
  const kill = (): boolean => child.kill('SIGKILL')
  for (const ending of [signal, deadline]) ending.addEventListener('abort', kill, { once: true })
  try {
    const { rows, bytes } = limits
    child.stdin?.end(JSON.stringify({ sql, files, rows, bytes }))
    const [lines, complaint] = await Promise.all([
      linesOf(child.stdio[CHANNEL] as Readable),
      complaintOf(child.stderr as Readable),
      once(child, 'exit'),
    ])
    signal.throwIfAborted()
    if (deadline.aborted) {
      throw new QueryRefused('time', `the query took longer than ${limits.ms / 1000} s`)
    }
    return answerOf(lines, child, complaint)
  } finally {
    kill()
    for (const ending of [signal, deadline]) ending.removeEventListener('abort', kill)
  }
}

/** Throws QueryRefused where DuckDB, an optional package, is not installed. */
function expectDuck(): void {
  try {
    import.meta.resolve(DUCK)
  } catch (cause) {
    throw new QueryRefused('absent', `DuckDB is not installed: ${DUCK_INSTALLED_BY}`, { cause })
  }
}

function start(fileCount: number): ChildProcess {
  const limits = [String(OPEN_FILES + fileCount), String(MEMORY_MIB * 1024)]
  const program = [process.execPath, '--disable-warning=ExperimentalWarning', PROGRAM]
  const child = spawn('/bin/sh', ['-c', LIMITED, 'sh', ...limits, ...program], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  })
  // A program that ended before it read the request: its exit is the error.
  child.stdin?.on('error', () => {})
  return child
}

async function linesOf(channel: Readable): Promise<string[]> {
  const lines = (await text(channel)).split('\n')
  // The text after the last line break is empty, or a line that was cut.
  lines.pop()
  return lines
}

async function complaintOf(errors: Readable): Promise<string> {
  let text = ''
  for await (const chunk of errors) {
    if (text.length < COMPLAINT_BYTES_MAX) text += String(chunk)
  }
  return text.slice(0, COMPLAINT_BYTES_MAX)
}

function answerOf(lines: string[], child: ChildProcess, complaint: string): QueryAnswer {
  const last = lines.pop()
  const ending = last === undefined ? undefined : (JSON.parse(last) as Partial<Tail & Failure>)
  if (ending?.failure !== undefined) {
    throw new QueryRefused(ending.failure, ending.message ?? ending.failure)
  }
  const head = lines.shift()
  if (head === undefined || ending?.truncated === undefined) {
    const how = child.signalCode ?? `code ${child.exitCode}`
    const isMemory = /out of memory|bad_alloc|allocation failed/i.test(complaint)
    throw new QueryRefused(
      isMemory ? 'memory' : 'ended',
      isMemory
        ? `the query needs more memory than ${MEMORY_MIB} MiB`
        : `the program of the query ended (${how}) before it had answered`,
      { cause: new Error(complaint) },
    )
  }
  const { columns } = JSON.parse(head) as Head
  return { columns, rows: lines, truncated: ending.truncated }
}
