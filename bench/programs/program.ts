/**
 * Programs of the benchmark next to this one (worker, publisher, API): node processes with their options as one argument
 * of JSON, which communicate by messages. One that exits unasked is an error.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../domain/log.ts'

export type Program<Sent extends { kind: string }> = {
  readonly pid: number
  send(message: object): void
  /** The next message of a kind. Rejects when the program ends first or sends none in time. */
  receive<Kind extends Sent['kind']>(
    kind: Kind,
    boundMs?: number,
  ): Promise<Extract<Sent, { kind: Kind }>>
  /** Receives every message until the returned function is called. */
  listen(listener: (message: Sent) => void): () => void
  stop(): Promise<void>
}

const RECEIVE_BOUND_MS = 180_000
const STOP_BOUND_MS = 60_000

/** Only warnings and errors, to standard error. */
export const programLog: Log = {
  debug: () => {},
  info: () => {},
  warn: (...words: unknown[]) => console.error('warn', ...words),
  error: (...words: unknown[]) => console.error('error', ...words),
}

export function startProgram<Sent extends { kind: string }>(
  file: string,
  options: object,
  flags: readonly string[] = [],
): Program<Sent> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(process.execPath, [...flags, path, JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
    // In a separate session, like each child of `up`: the kernel may distribute cores by sessions.
    detached: true,
  })
  child.on('error', (error) => console.error(`${file}: ${error.message}`))
  return {
    pid: child.pid ?? -1,
    send: (message) => void child.send(message),
    receive: (kind, boundMs = RECEIVE_BOUND_MS) => messageOf(child, file, kind, boundMs),
    listen(listener) {
      const onMessage = (message: unknown) => listener(message as Sent)
      child.on('message', onMessage)
      return () => void child.off('message', onMessage)
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const bound = setTimeout(() => child.kill('SIGKILL'), STOP_BOUND_MS)
      await ended
      clearTimeout(bound)
    },
  }
}

function messageOf<Message>(
  child: ChildProcess,
  file: string,
  kind: string,
  boundMs: number,
): Promise<Message> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      clearTimeout(bound)
      child.off('message', onMessage)
      child.off('exit', onExit)
      finish()
    }
    const onMessage = (message: unknown) => {
      if ((message as { kind: string }).kind === kind) settle(() => resolve(message as Message))
    }
    const onExit = () => settle(() => reject(new Error(`${file} ended before it sent "${kind}"`)))
    const bound = setTimeout(
      () =>
        settle(() =>
          reject(new Error(`${file} did not send "${kind}" within ${boundMs / 1000} s`)),
        ),
      boundMs,
    )
    child.on('message', onMessage)
    child.on('exit', onExit)
  })
}

/** In a program: its options. */
export function programOptions<Options>(): Options {
  return JSON.parse(process.argv[2] ?? '{}')
}

/** In a program: sends a message to its starter. */
export function sendToStarter<Sent extends { kind: string }>(message: Sent): void {
  process.send?.(message)
}

/** In a program: resolves when it is signalled to end. Without its parent it need not end in order. */
export function untilStopRequested(): Promise<void> {
  const onLost = () => process.exit(1)
  process.once('disconnect', onLost)
  return new Promise((resolve) => {
    process.once('SIGTERM', () => {
      process.off('disconnect', onLost)
      resolve()
    })
    // A terminal's Ctrl-C reaches all; the parent decides when to end.
    process.on('SIGINT', () => {})
  })
}
