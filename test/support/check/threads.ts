/**
 * Ava's threads, one for each test file, with a limit of time each. Ava's own limit is one for the whole run: it counts
 * from the last test that ended in any file, so a file that hangs is seen last, and the run is lost with it.
 *
 * A file that reaches its limit is ended with the programs that it started, its last output is printed, and it counts as
 * failed; the other files run on. Programs are found by a variable of their environment that names the file.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { relative } from 'node:path'
import threads, { type Worker, type WorkerOptions } from 'node:worker_threads'
import { ROOT } from '../sources.ts'
import type { Admission } from './admission/admission.ts'
import { limitMsOf } from './times.ts'

/** Names the test file to its thread and to the programs that the file starts. */
const FILE_VARIABLE = 'AVA_TEST_FILE'
/** Path of a file that gets a line of JSON for each test file that ended. */
export const TIMES_VARIABLE = 'AVA_TEST_TIMES'
/** Lines of output that are printed of a file that reached its limit. */
const LINES_MAX = 20

/** Seconds; CPU is that of the file's thread only. */
export type Took = { file: string; seconds: number; cpuSeconds: number; isEnded: boolean }

/** From now on each thread that this process starts waits until its test file is admitted, and has the file's limit. */
export function limitThreads(admission: Admission): void {
  const Plain = threads.Worker
  threads.Worker = class extends Plain {
    constructor(path: string | URL, options: WorkerOptions) {
      const file = relative(ROOT, options.workerData?.options?.file ?? '')
      const admitted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
      super(path, {
        ...options,
        env: { ...variablesOf(options), [FILE_VARIABLE]: file },
        workerData: { ...options.workerData, admitted },
      })
      watch(this, file, admission, admitted)
    }
  }
  syncBuiltinESMExports()
}

function variablesOf({ env }: WorkerOptions): NodeJS.ProcessEnv {
  return typeof env === 'object' ? env : process.env
}

function watch(thread: Worker, file: string, admission: Admission, admitted: Int32Array): void {
  let began: number | undefined
  let timer: NodeJS.Timeout | undefined
  const output: string[] = []
  const note = (text: unknown): void => {
    output.push(...String(text).trimEnd().split('\n'))
    output.splice(0, output.length - LINES_MAX)
  }
  let cpuSeconds = 0
  let isEnded = false
  thread.stdout.on('data', note)
  thread.stderr.on('data', note)
  thread.on('message', async ({ ava }) => {
    if (ava?.title !== undefined) note(`${ava.type}: ${ava.title}`)
    if (ava?.type !== 'worker-finished') return
    // A thread that has ended meanwhile has no usage.
    const usage = await thread.cpuUsage().catch(() => undefined)
    if (usage !== undefined) cpuSeconds = (usage.user + usage.system) / 1e6
  })
  const limitMs = limitMsOf(file)
  const end = (): void => {
    isEnded = true
    const seconds = Math.round(limitMs / 1_000)
    console.error(`✘ [limit]: ${file} was ended after ${seconds} s; its last output:`)
    for (const line of output) console.error(`    ${line}`)
    killPrograms(file)
    void thread.terminate()
  }
  const leave = admission.enter(() => {
    began = performance.now()
    timer = setTimeout(end, limitMs)
    Atomics.store(admitted, 0, 1)
    Atomics.notify(admitted, 0)
  })
  thread.once('exit', () => {
    clearTimeout(timer)
    leave()
    const path = process.env[TIMES_VARIABLE]
    // A run that is interrupted ends threads that wait to be admitted.
    if (path === undefined || began === undefined) return
    const seconds = (performance.now() - began) / 1_000
    const took: Took = { file, seconds, cpuSeconds, isEnded }
    appendFileSync(path, `${JSON.stringify(took)}\n`)
  })
}

/** Kills the programs that a test file started, and those that these started. */
function killPrograms(file: string): void {
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    try {
      const variables = readFileSync(`/proc/${name}/environ`, 'latin1').split('\0')
      if (variables.includes(`${FILE_VARIABLE}=${file}`)) process.kill(pid, 'SIGKILL')
    } catch {
      // The process ended meanwhile, or belongs to another account.
    }
  }
}
