/**
 * Runs a command line: finds the command, runs it and reports an error as one sentence.
 */

import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { readProgram } from '../api/resources/health/program.ts'
import { insteadOf } from '../domain/text/nearest-name.ts'
import { UsageError } from './cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK, EXIT_USAGE } from './cli/command.ts'
import { explainError } from './cli/explain-error.ts'
import { helpText, overviewText } from './cli/help.ts'
import { aboveProgress, createProgress } from './cli/progress.ts'
import { COMMAND_GROUPS, COMMANDS, type CommandEntry } from './command-table.ts'
import { type Config, ConfigError, type Environment, readConfig } from './config.ts'
import { createLog, redact } from './log.ts'
import { exitCodeOf, untilAborted } from './shutdown.ts'

/** The environment of a command line: this process's, or a test's. */
type Surroundings = {
  environment: Environment
  stdout: Writable
  stderr: Writable & { isTTY?: boolean; columns?: number }
  stdin: Readable
  /** Called once a command runs; the signal is aborted on a signal to end. */
  endSignal: () => AbortSignal
}

/** Milliseconds in which an ending command releases its resources. */
const RELEASE_BOUND_MS = 5_000

const FOOTER = [
  'swaptide COMMAND --help, or swaptide help COMMAND, prints the options, examples and environment of a command. ' +
    'swaptide --version prints the version.',
  'A command uses the installation that "swaptide up" runs in SWAPTIDE_HOME (default .swaptide in the current ' +
    'folder), or the servers of DATABASE_URL, NATS_URL and REDIS_URL.',
]

/** The text of `swaptide --help`. */
export function overview(): string {
  const groups = Object.entries(COMMAND_GROUPS).map(([group, title]) => {
    const entries = Object.entries(COMMANDS).filter(([, entry]) => entry.group === group)
    return { title, commands: entries.map(([name, { summary }]) => [name, summary] as const) }
  })
  return overviewText(groups, FOOTER)
}

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
function entryOf(name: string): CommandEntry {
  const entries: Readonly<Record<string, CommandEntry>> = COMMANDS
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined
  if (entry !== undefined) return entry
  const known = [...Object.keys(COMMANDS), 'help', 'version']
  throw new UsageError(`unknown command "${name}": ${insteadOf(name, known)}`)
}

/** Runs the command line and returns the exit code. Never rejects. */
export async function runCli(argv: readonly string[], around: Surroundings): Promise<number> {
  return await main(argv, around).catch((error) => report(error, around))
}

async function main(argv: readonly string[], around: Surroundings): Promise<number> {
  const [name = '--help', ...rest] = argv
  if (HELP.includes(name)) {
    const wanted = rest.find((word) => !word.startsWith('-'))
    around.stdout.write(wanted === undefined ? overview() : await helpOf(wanted))
    return EXIT_OK
  }
  if (VERSION.includes(name)) {
    around.stdout.write(versionLine())
    return EXIT_OK
  }
  const command = await entryOf(name).load()
  if (requestsHelp(rest)) {
    around.stdout.write(await helpOf(name))
    return EXIT_OK
  }
  const context = createContext(readConfig(around.environment), around)
  try {
    const running = command.run(rest, context)
    if (command.ending === 'drains') return await running
    return await untilAbandoned(running, context.signal, command.ending === 'releases')
  } finally {
    context.progress.clear()
  }
}

/** The text of `swaptide NAME --help`. Throws UsageError. */
export async function helpOf(name: string): Promise<string> {
  const { summary, load } = entryOf(name)
  return helpText((await load()).described, summary)
}

/** The command's own exit code, or that of the signal that ended the process before the command did. */
async function untilAbandoned(
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

function requestsHelp(argv: readonly string[]): boolean {
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

function report(error: unknown, around: Surroundings): number {
  if (error instanceof UsageError) {
    around.stderr.write(`swaptide: ${redact(error.message)}\n`)
    return EXIT_USAGE
  }
  const isDebug =
    !(error instanceof ConfigError) && readConfig(around.environment).logLevel === 'debug'
  const text = isDebug && error instanceof Error ? error.stack : explainError(error)
  around.stderr.write(`swaptide: ${redact(text ?? explainError(error))}\n`)
  return EXIT_FAILED
}
