/**
 * A command line: finds the command, runs it, turns what went wrong into one sentence.
 * A command's code is loaded only when it is asked for, so that `--help` answers at once.
 */

import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { readProgram } from '../api/resources/health/program.ts'
import { insteadOf } from '../domain/text/nearest-name.ts'
import { helpText, UsageError } from './cli/arguments.ts'
import {
  type Command,
  type CommandContext,
  EXIT_FAILED,
  EXIT_OK,
  EXIT_USAGE,
} from './cli/command.ts'
import { explainFault } from './cli/explain-error.ts'
import { aboveProgress, createProgress } from './cli/progress.ts'
import { type Config, ConfigError, type Environment, readConfig } from './config.ts'
import { createLog, redact } from './log.ts'
import { exitCodeOf, untilAborted } from './shutdown.ts'

/** What a command line is run in: the process of the entry, or what stands for it. */
export type Surroundings = {
  environment: Environment
  stdout: Writable
  stderr: Writable & { isTTY?: boolean; columns?: number }
  stdin: Readable
  /** Asked for by a command that runs: the signal that the process is to end. */
  endSignal: () => AbortSignal
}

/** Milliseconds that a command has to give back what it holds. */
const RELEASE_BOUND_MS = 5_000

type Entry = { summary: string; load: () => Promise<Command> }

const COMMANDS: Record<string, Entry> = {
  up: {
    summary: 'servers, workers, API and a simulated market on this machine',
    load: () => import('./commands/up.ts'),
  },
  ingest: {
    summary: 'NDJSON files in, with a reason for every line that is refused',
    load: () => import('./commands/ingest.ts'),
  },
  decode: {
    summary: 'blocks and transactions of Solana to lines for ingest',
    load: () => import('./commands/decode.ts'),
  },
  simulate: {
    summary: 'a market of ten venues, the same for the same seed',
    load: () => import('./commands/simulate.ts'),
  },
  status: {
    summary: 'how far each lane is behind, and dead letters',
    load: () => import('./commands/status.ts'),
  },
  keys: {
    summary: 'create, list, rotate and revoke API keys',
    load: () => import('./commands/keys.ts'),
  },
  api: { summary: 'the API alone', load: () => import('./commands/parts/api.ts') },
  worker: { summary: 'a worker alone', load: () => import('./commands/parts/worker.ts') },
  jobs: { summary: 'works on jobs alone', load: () => import('./commands/parts/jobs.ts') },
  migrate: {
    summary: 'bring the database to this version',
    load: () => import('./commands/parts/migrate.ts'),
  },
  verify: {
    summary: 'fold the stored swaps afresh and compare every table',
    load: () => import('./commands/repair/verify.ts'),
  },
  recover: {
    summary: 'go on from a database that went back in time',
    load: () => import('./commands/repair/recover.ts'),
  },
  rebuild: {
    summary: 'fold the ledger, the ranking or candles afresh from the stored swaps',
    load: () => import('./commands/repair/rebuild.ts'),
  },
  replay: {
    summary: 'history again: to a file, standard output or a subject',
    load: () => import('./commands/replay.ts'),
  },
  import: {
    summary: 'KOLs, tokens and sectors from a file of an operator',
    load: () => import('./commands/import.ts'),
  },
  dead: {
    summary: 'list dead letters, or bring them in again',
    load: () => import('./commands/repair/dead.ts'),
  },
  conflicts: {
    summary: 'list events that were kept out because they contradict what is stored',
    load: () => import('./commands/conflicts.ts'),
  },
  psql: {
    summary: "psql on Swaptide's database",
    load: async () => (await import('./commands/server-tools.ts')).psql,
  },
  'pg-dump': {
    summary: "pg_dump of Swaptide's database",
    load: async () => (await import('./commands/server-tools.ts')).pgDump,
  },
  'pg-restore': {
    summary: 'pg_restore into a database of the same server',
    load: async () => (await import('./commands/server-tools.ts')).pgRestore,
  },
  'pg-basebackup': {
    summary: 'copy the whole PostgreSQL server while it runs',
    load: async () => (await import('./commands/server-tools.ts')).pgBasebackup,
  },
  'redis-cli': {
    summary: "redis-cli on Swaptide's Redis",
    load: async () => (await import('./commands/server-tools.ts')).redisCli,
  },
  'nats-server': {
    summary: 'send a signal to the embedded nats-server',
    load: async () => (await import('./commands/server-tools.ts')).natsServer,
  },
}

/** The text of `swaptide --help`. */
function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  const listed = Object.entries(COMMANDS)
    .map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}\n`)
    .join('')
  return `swaptide COMMAND [OPTIONS]\n\n${listed}\n${FOOTER}`
}

const FOOTER = `swaptide COMMAND --help, or swaptide help COMMAND, lists its options.
swaptide --version prints the version.

A command works on the installation that "swaptide up" runs in SWAPTIDE_HOME (default .swaptide in the
current folder), or on the servers that DATABASE_URL, NATS_URL and REDIS_URL name.
`

const HELP = ['help', '--help', '-h']
const VERSION = ['version', '--version', '-v', '-V']

/** `swaptide 0.1.0 (schema 0009_venues, commit 8ee420f)` */
function versionLine(): string {
  const { name, version, schema, commit } = readProgram()
  const from = commit === undefined ? '' : `, commit ${commit.slice(0, COMMIT_SHOWN)}`
  return `${name} ${version} (schema ${schema}${from})\n`
}

const COMMIT_SHOWN = 7

/** Throws UsageError. */
function entryOf(name: string): Entry {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (entry !== undefined) return entry
  const known = [...Object.keys(COMMANDS), 'help', 'version']
  throw new UsageError(`unknown command "${name}": ${insteadOf(name, known)}`)
}

/** Runs it; the answer is the exit code. Never rejects. */
export async function runCli(argv: readonly string[], around: Surroundings): Promise<number> {
  return await main(argv, around).catch((fault) => report(fault, around))
}

async function main(argv: readonly string[], around: Surroundings): Promise<number> {
  const [name = '--help', ...rest] = argv
  if (HELP.includes(name)) {
    const of = rest.find((word) => !word.startsWith('-'))
    around.stdout.write(
      of === undefined ? overview() : helpText((await entryOf(of).load()).described),
    )
    return EXIT_OK
  }
  if (VERSION.includes(name)) {
    around.stdout.write(versionLine())
    return EXIT_OK
  }
  const command = await entryOf(name).load()
  if (asksForHelp(rest)) {
    around.stdout.write(helpText(command.described))
    return EXIT_OK
  }
  const context = createContext(readConfig(around.environment), around)
  try {
    const running = command.run(rest, context)
    if (command.ending === 'drains') return await running
    return await untilBrokenOff(running, context.signal, command.ending === 'releases')
  } finally {
    context.progress.clear()
  }
}

/** The command's own exit code, or that of the signal which it need not outlive. */
async function untilBrokenOff(
  running: Promise<number>,
  signal: AbortSignal,
  releases: boolean,
): Promise<number> {
  const code = await Promise.race([running, untilAborted(signal)])
  if (code !== undefined) return code
  const bound = pause(RELEASE_BOUND_MS, undefined, { ref: false })
  if (releases) await Promise.race([running.catch(() => {}), bound])
  return exitCodeOf(signal)
}

function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  const options = end === -1 ? argv : argv.slice(0, end)
  return options.includes('--help') || options.includes('-h')
}

function createContext(config: Config, around: Surroundings): CommandContext {
  const isTerminal = around.stderr.isTTY === true
  const progress = createProgress({
    write: (text) => around.stderr.write(text),
    isTerminal,
    now: () => performance.now(),
    columns: () => around.stderr.columns,
  })
  const stderr = aboveProgress(around.stderr, progress)
  return {
    config,
    log: (level) =>
      createLog({
        level: config.logLevel ?? level,
        isTerminal,
        secrets: config.adminKey === undefined ? [] : [config.adminKey],
        write: (line) => stderr.write(line),
      }),
    stdout: aboveProgress(around.stdout, progress),
    stderr,
    stdin: around.stdin,
    progress,
    signal: around.endSignal(),
  }
}

function report(fault: unknown, around: Surroundings): number {
  if (fault instanceof UsageError) {
    around.stderr.write(`swaptide: ${fault.message}\n`)
    return EXIT_USAGE
  }
  const isDebug =
    !(fault instanceof ConfigError) && readConfig(around.environment).logLevel === 'debug'
  const text = isDebug && fault instanceof Error ? fault.stack : explainFault(fault)
  around.stderr.write(`swaptide: ${redact(text ?? explainFault(fault))}\n`)
  return EXIT_FAILED
}
