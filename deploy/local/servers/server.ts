// One embedded server: started through setpriv in its own session (Ctrl-C at a terminal reaches
// Swaptide only, which drains before it stops its servers), started again when it ends by itself, and stopped by its
// clean signal, by SIGKILL after a bound. When Swaptide itself is killed the kernel sends the clean signal. The
// server's folder is its working folder and is only named as such, so that an unprivileged account can use data below a
// folder that only root may enter.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, renameSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Account, unprivileged } from '../account.ts'
import { lastLines } from '../command.ts'
import { parseDurable, readDurable, writeDurable } from '../files/durable-file.ts'
import { isFree, LOOPBACK, PortTaken } from '../ports.ts'
import { isRunning, type Program, programOf } from '../state.ts'
import { holdsWithin, restartDelay } from '../waiting.ts'

/** A server's own folder, by a name that needs no right to enter the folders above it. */
export const OWN_FOLDER = '/proc/self/cwd'

const START_BOUND_MS = 120_000
const STOP_BOUND_MS = 60_000
const RETRY_PAUSE_MS = 100
const ORPHAN_BOUND_MS = 30_000
const PAUSING: ReadonlySet<string> = new Set(['SIGSTOP', 'SIGCONT'])
/** Older lines of a log that grew beyond this stay in one previous file. */
const LOG_BYTES_MAX = 16_000_000

export type Server = {
  name: string
  /** Undefined while it does not run. */
  readonly pid: number | undefined
  port: number
  /** Signals (the server's clean stop unless another is named) and returns when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Returns when the server answers; after a kill, waits for its end first. */
  start(): Promise<void>
  /** Signals and does not wait. SIGSTOP and SIGCONT freeze and wake, any other counts as a stop. */
  kill(signal: NodeJS.Signals): void
}

type ServerPlan = {
  name: string
  port: number
  folder: string
  logFile: string
  account: Account
  program: string
  /** Path of the program through which it is started. */
  setpriv: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** Standard input of the program; for secrets, which no process list shows there. */
  input?: string
  stopSignal: NodeJS.Signals
  /** Whether the program of this pid serves; polled while it starts. */
  isReady(pid: number): Promise<boolean>
  /** Puts the folder right before a start. */
  prepare?(): Promise<void>
  /** How long a start that ends is tried again, by the end of its log: left-overs of a killed server pass. Absent: not at all. */
  retryBoundMs?(message: string): number
  log: (line: string) => void
}

export function createServer(plan: ServerPlan): Server {
  return new EmbeddedServer(plan)
}

type Running = { child: ChildProcess; ended: Promise<void>; isWatched: boolean }

class EmbeddedServer implements Server {
  readonly name: string
  port: number
  private readonly plan: ServerPlan
  private running: Running | undefined
  private isExpectedToEnd = false
  /** Delay before the restart of a program that ended by itself, and the time of that start. */
  private delayMs = 0
  private pause: NodeJS.Timeout | undefined
  private revived: Promise<void> = Promise.resolve()

  constructor(plan: ServerPlan) {
    this.plan = plan
    this.name = plan.name
    this.port = plan.port
  }

  get pid(): number | undefined {
    return this.running?.child.pid
  }

  async start(): Promise<void> {
    const { plan } = this
    clearTimeout(this.pause)
    await this.revived
    if (this.isExpectedToEnd) await this.running?.ended
    if (this.running !== undefined) return
    if (!(await isFree(plan.port))) throw new PortTaken(plan.port, plan.name)
    this.isExpectedToEnd = false
    const startedAt = performance.now()
    // Each attempt is one whole launch; a requested stop ends the attempts.
    while (!this.isExpectedToEnd && !(await this.launch())) {
      const boundMs = plan.retryBoundMs?.(await logEnd(plan.logFile)) ?? 0
      if (performance.now() - startedAt > boundMs) break
      await pause(RETRY_PAUSE_MS)
    }
    if (this.running === undefined)
      throw new Error(`${plan.name} ended while starting: ${await logEnd(plan.logFile)}`)
  }

  async stop(signal: NodeJS.Signals = this.plan.stopSignal): Promise<void> {
    this.isExpectedToEnd = true
    clearTimeout(this.pause)
    if (this.running !== undefined) {
      const { child, ended } = this.running
      child.kill(signal)
      // One that a test froze must wake to see the signal.
      child.kill('SIGCONT')
      const bound = setTimeout(() => child.kill('SIGKILL'), STOP_BOUND_MS)
      await ended
      clearTimeout(bound)
    }
    await this.revived
  }

  kill(signal: NodeJS.Signals): void {
    this.isExpectedToEnd ||= !PAUSING.has(signal)
    this.running?.child.kill(signal)
  }

  /** False where it ended while starting. Throws where it lives and does not serve in time. */
  private async launch(): Promise<boolean> {
    const { plan } = this
    await plan.prepare?.()
    return !this.isExpectedToEnd && (await this.spawnAndWait())
  }

  private async spawnAndWait(): Promise<boolean> {
    const { plan } = this
    const child = spawnServer(plan)
    const startedAt = performance.now()
    const ended = new Promise<void>((resolve) => {
      child.once('error', () => resolve())
      child.once('exit', () => resolve())
    }).then(() => {
      this.running = undefined
      if (running.isWatched && !this.isExpectedToEnd) this.startAgain(performance.now() - startedAt)
    })
    const running: Running = { child, ended, isWatched: false }
    this.running = running
    if (child.pid !== undefined) {
      await writeDurable(pidFile(plan.folder), JSON.stringify(programOf(child.pid)))
    }
    let isServing = false
    const hasEnded = (): boolean => this.running === undefined
    await holdsWithin(START_BOUND_MS, async () => {
      isServing = child.pid !== undefined && (await plan.isReady(child.pid))
      return isServing || hasEnded()
    })
    if (hasEnded()) return false
    running.isWatched = true
    if (isServing) return true
    throw new Error(`${plan.name} did not serve within ${START_BOUND_MS / 1000} s of its start`)
  }

  private startAgain(livedMs: number): void {
    const { name, logFile, log } = this.plan
    this.delayMs = restartDelay(this.delayMs, livedMs)
    const again = `starting again in ${this.delayMs / 1000} s`
    log(`${name} ended by itself: see "${logFile}"; ${again}`)
    this.pause = setTimeout(() => {
      this.revived = this.revive()
    }, this.delayMs)
  }

  private async revive(): Promise<void> {
    const isServing = await this.launch().catch(({ message }: Error) => {
      this.plan.log(message)
      if (this.running === undefined) return false
      // The server runs: it is restarted when it ends, like any other.
      this.running.isWatched = true
      return true
    })
    if (!isServing && !this.isExpectedToEnd) this.startAgain(0)
  }
}

function spawnServer(plan: ServerPlan): ChildProcess {
  const log = openLog(plan.logFile)
  try {
    const child = spawn(
      plan.setpriv,
      [...unprivileged(plan.account, plan.stopSignal), plan.program, ...plan.args],
      {
        cwd: plan.folder,
        env: { ...plan.env },
        stdio: [plan.input === undefined ? 'ignore' : 'pipe', log, log],
        detached: true,
      },
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(plan.input)
    return child
  } finally {
    closeSync(log)
  }
}

/** The program of the server that runs on this folder now, according to its pid file. */
export async function serverProgram(folder: string): Promise<Program | undefined> {
  const text = await readDurable(pidFile(folder))
  const program = text === undefined ? undefined : parseDurable<Program>(text)
  return program !== undefined && isRunning(program) ? program : undefined
}

/** Stops, and in the end kills, a server that an earlier Swaptide left on this folder. */
export async function endOrphan(folder: string, log: (line: string) => void): Promise<void> {
  const program = await serverProgram(folder)
  if (program === undefined) return
  log(`waiting for process ${program.pid} of an earlier start, which still uses "${folder}"`)
  // To all three servers this is a clean stop, also where the kernel has sent it already.
  signalProgram(program, 'SIGINT')
  const hasEnded = (): boolean => !isRunning(program)
  if (await holdsWithin(ORPHAN_BOUND_MS, hasEnded)) return
  signalProgram(program, 'SIGKILL')
  await holdsWithin(ORPHAN_BOUND_MS, hasEnded)
}

function signalProgram(program: Program, signal: NodeJS.Signals): void {
  try {
    process.kill(program.pid, signal)
  } catch (error) {
    // Ended meanwhile, as intended.
    if (isRunning(program)) throw error
  }
}

/** Alongside the folder, which must be empty for a first start and belongs to the server. */
function pidFile(folder: string): string {
  return `${folder}.pid.json`
}

function openLog(path: string): number {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (bytes > LOG_BYTES_MAX) renameSync(path, `${path}.1`)
  return openSync(path, 'a', 0o600)
}

const logEnd = async (path: string): Promise<string> => lastLines(await readFile(path, 'utf8'))

/** Whether the server on the port answers `message` (or, without it, greets) with the expected text. */
export function answers(port: number, message: string, expected: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, LOOPBACK)
    let received = ''
    const finish = (isAnswer: boolean): void => {
      socket.destroy()
      resolve(isAnswer)
    }
    socket.setTimeout(1000, () => finish(false))
    socket.once('error', () => finish(false))
    socket.once('close', () => finish(false))
    socket.once('connect', () => message !== '' && socket.write(message))
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      if (received.includes(expected)) finish(true)
      else if (received.includes('-LOADING')) finish(false)
    })
  })
}
