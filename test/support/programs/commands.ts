/**
 * The command `swaptide` as a person runs it, from the same file that npm links, with an environment without this
 * machine's settings.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { runCli } from '../../../deploy/command-line.ts'
import { testServers } from '../servers/servers.ts'
import type { Pipeline } from '../workers/pipeline.ts'

export const SWAPTIDE = fileURLToPath(new URL('../../../deploy/swaptide', import.meta.url))

export type Ran = { code: number | null; stdout: string; stderr: string }

/** Starts it; `settings` are the only variables of ours that it sees. `program`: that of another version. */
export function startCommand(
  argv: readonly string[],
  settings: Readonly<Record<string, string>>,
  program = SWAPTIDE,
): ChildProcess {
  return spawn(program, argv, { env: commandEnvironment(settings), stdio: 'pipe' })
}

/** The variables that any program needs, with ours. */
export function commandEnvironment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME, SWAPTIDE_DEBIAN_MIRROR, XDG_CACHE_HOME, AVA_TEST_FILE } = process.env
  return { PATH, HOME, SWAPTIDE_DEBIAN_MIRROR, XDG_CACHE_HOME, AVA_TEST_FILE, ...settings }
}

/** Settings with which a command finds the servers of a test's installation. */
export function settingsOf(
  { databaseUrl, natsUrl, prefix, laneCount }: Pipeline,
  redisUrl = testServers().redisUrl,
): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    REDIS_URL: redisUrl,
    SWAPTIDE_STREAM_PREFIX: prefix.replace('.', ''),
    LANES: String(laneCount),
  }
}

/** Returns the output when the process has ended. `input`, if any, goes to its standard input. */
export async function finished(child: ChildProcess, input = ''): Promise<Ran> {
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw new Error('the command was started without pipes')
  const code = new Promise<number | null>((resolve) => {
    child.once('close', (exitCode) => resolve(exitCode))
  })
  // A command that ends before it has read all input is judged by its output.
  stdin.on('error', () => {})
  stdin.end(input)
  const [out, err] = await Promise.all([text(stdout), text(stderr)])
  return { code: await code, stdout: out, stderr: err }
}

export function runCommandLine(
  argv: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Ran> {
  return finished(startCommand(argv, settings), input)
}

/**
 * A command line in the test's own process, with no variables but `settings`: for what a command does and prints. A
 * process of its own costs up to a second of CPU, and is for signals, terminals, a piped standard input, and `recover`,
 * which judges the database by what its own process has seen. `input` is all of its standard input; `signal` ends it.
 */
export async function runHere(
  argv: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  input = '',
  signal: AbortSignal = new AbortController().signal,
): Promise<Ran> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printed = Promise.all([text(stdout), text(stderr)])
  const code = await runCli(argv, {
    environment: settings,
    ...{ stdout, stderr },
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    endSignal: () => signal,
  })
  stdout.end()
  stderr.end()
  const [out, err] = await printed
  return { code, stdout: out, stderr: err }
}
