/**
 * A command of Swaptide as a child process, restarted when it exits unasked: after 1 s, then with exponential backoff
 * up to 30 s, and after 1 s again once it has lived for a minute. It runs in its own session, out of reach of the
 * terminal's signals, so that only its parent stops it. An IPC channel carries its messages and ends it when the
 * parent is gone.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { restartDelay } from '../local/waiting.ts'
import type { Logger } from '../log.ts'

const CLI = fileURLToPath(new URL('../cli.ts', import.meta.url))
const STOP_BOUND_MS = 25_000

export type Child = {
  readonly pid: number | undefined
  /** Signals it to end and returns when it has ended; kills it after a bound. */
  stop(): Promise<void>
}

export function startChild(
  argv: readonly string[],
  environment: Readonly<Record<string, string>>,
  log: Logger,
  onMessage: (message: unknown) => void = () => {},
): Child {
  let child: ChildProcess | undefined
  let ended: Promise<void> = Promise.resolve()
  let restart: NodeJS.Timeout | undefined
  let delayMs = 0
  let isStopping = false

  function launch(): void {
    const startedAt = performance.now()
    const started = spawn(process.execPath, [...process.execArgv, CLI, ...argv], {
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      detached: true,
    })
    child = started
    started.on('message', onMessage)
    ended = new Promise((resolve) => {
      const settle = (how: string): void => {
        if (child !== started) return
        child = undefined
        resolve()
        if (isStopping) return
        delayMs = restartDelay(delayMs, performance.now() - startedAt)
        log.error({ command: argv.join(' '), reason: how, delayMs }, 'restarting ended process')
        restart = setTimeout(launch, delayMs)
      }
      started.once('error', ({ message }) => settle(message))
      started.once('exit', (code, signal) => settle(`${signal ?? `exit code ${code}`}`))
    })
  }

  launch()
  return {
    get pid() {
      return child?.pid
    },
    async stop() {
      isStopping = true
      clearTimeout(restart)
      child?.kill('SIGTERM')
      const bound = setTimeout(() => child?.kill('SIGKILL'), STOP_BOUND_MS)
      await ended
      clearTimeout(bound)
    },
  }
}
