// The program of `npm test`: one stack in a temporary home for all test files, then ava with the
// arguments as given, then the stack is stopped and the home removed, whatever ava's result was.
// Without arguments ava runs all files, those that need no servers in groups; with `--changed [BASE]`
// those that a change can break. The exit code is ava's.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { changedTests } from './changed/since.ts'
import { ADMITTED_VARIABLE, FURTHER_MAX } from './check/admission/admission.ts'
import { groupTests, listTests, type Tests } from './check/groups.ts'
import { TIMES_VARIABLE } from './check/threads.ts'
import { printTimes, readTimes, storeTimes } from './check/times.ts'
import { sizeOf } from './seed.ts'
import { inRunHome } from './servers/run-home.ts'

/** Test files at once: more than cores, as many of them wait for leases and timers most of the time. */
const CONCURRENCY = numberOf('TEST_CONCURRENCY', 4)
/** A run of all files that takes longer is ended, while its CI still reads the report; no CI waits for the long size. */
const WHOLE_RUN_MAX_MS = sizeOf({ daily: 1, long: 24 }) * 60 * 60_000
/** Hours without the end of a test after which ava gives up; 0: the time in package.json. */
const SILENT_MAX_HOURS = sizeOf({ daily: 0, long: 24 })
/** For ava to name the tests that did not end and to end their threads. */
const INTERRUPT_MAX_MS = 60_000
const AVA = join(import.meta.dirname, 'check/ava.ts')

// Before anything is started: a base that does not exist is an error of the command line.
const tests = process.argv[2] === '--changed' ? await changedTests(process.argv[3]) : undefined
await inRunHome(async ({ home, withServers }) => {
  const times = join(home, 'times.ndjson')
  try {
    await withServers(async (environment) => {
      const given = process.argv.slice(2)
      const env = { ...environment, [TIMES_VARIABLE]: times }
      if (given.length > 0 && tests === undefined) process.exitCode = await runAva(given, env)
      else process.exitCode = await runTests(tests ?? listTests(), env)
    })
  } finally {
    // After the stop: the servers are programs that have ended, too.
    printTimes(await readTimes(times))
    if (process.argv.length === 2) await storeTimes(times)
  }
})

/** A whole number above 0 from the environment. Throws where the variable is anything else. */
function numberOf(variable: string, otherwise: number): number {
  const text = process.env[variable]
  if (text === undefined) return otherwise
  if (!/^[1-9]\d?$/.test(text)) throw new Error(`${variable} "${text}": expected 1 to 99`)
  return Number(text)
}

async function runTests(tests: Tests, env: NodeJS.ProcessEnv): Promise<number> {
  // Not the folder of `npm run check`, which may run meanwhile.
  const concurrency = CONCURRENCY + FURTHER_MAX
  const groups = await groupTests(tests, { folder: '.test', concurrency })
  const admitted = { [ADMITTED_VARIABLE]: String(CONCURRENCY) }
  try {
    return await runAva(groups.args, { ...env, ...admitted }, WHOLE_RUN_MAX_MS)
  } finally {
    await groups.remove()
  }
}

/** Ava's option: that of the arguments, if any, else that of the size. */
function timeoutOf(args: readonly string[]): string[] {
  const isGiven = args.some((each) => each.startsWith('--timeout'))
  return isGiven || SILENT_MAX_HOURS === 0 ? [] : [`--timeout=${SILENT_MAX_HOURS}h`]
}

function runAva(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  limitMs?: number,
): Promise<number> {
  // By this node: the one that ava's own first line would find may be the host's.
  const child = spawn(process.execPath, [AVA, ...args, ...timeoutOf(args)], {
    stdio: 'inherit',
    env,
  })
  // A terminal's Ctrl-C reaches ava as well: it ends, and then the stack is stopped as always.
  const passOn = (signal: NodeJS.Signals): boolean => child.kill(signal)
  process.on('SIGTERM', passOn)
  process.on('SIGINT', () => {})
  const limits = limitMs === undefined ? [] : endAfter(child, limitMs)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      for (const limit of limits) clearTimeout(limit)
      resolve(code ?? 1)
    })
  })
}

/** Interrupts the run at the limit, which makes ava report, and kills it where that does not end it. */
function endAfter(child: ChildProcess, limitMs: number): NodeJS.Timeout[] {
  const interrupt = (): void => {
    console.error(
      `the run was interrupted after ${limitMs / 60_000} minutes: a test or its thread hangs`,
    )
    child.kill('SIGINT')
  }
  return [
    setTimeout(interrupt, limitMs),
    setTimeout(() => child.kill('SIGKILL'), limitMs + INTERRUPT_MAX_MS),
  ]
}
