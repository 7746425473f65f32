/** A part of an installation as a process of the drill: it is killed, frozen and started again as an operator would. */
import type { ChildProcess } from 'node:child_process'
import type { ExecutionContext } from 'ava'
import { startCommand } from '../support/programs/commands.ts'
import { ownPort } from '../support/servers/own-port.ts'
import { type Alarm, partLog } from './report.ts'

export type Part = {
  name: string
  /** Starts it, unless it runs. */
  start(): void
  /** SIGKILL; returns when it has ended. */
  kill(): Promise<void>
  /** SIGTERM; returns when it has ended, which must be in order. */
  stop(): Promise<void>
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Undefined while it does not run. */
  pid(): number | undefined
  /** The end of what it logged, for a failure. */
  said(): string
  /** All that it logged about its lanes. */
  saidOfLanes(): string
  /** All warnings and errors that it logged. */
  alarms(): Alarm[]
  /** Ends that the drill did not cause: exit code or signal. */
  readonly unexpected: readonly string[]
}

export type ApiPorts = { port: number; grpcPort: number }
export type ApiPart = Part & ApiPorts

/** `argv` of `swaptide`, that of this version unless `program` is another; ended with the test. */
export function startPart(
  t: ExecutionContext,
  argv: readonly string[],
  settings: Readonly<Record<string, string>>,
  program?: string,
): Part {
  const unexpected: string[] = []
  const log = partLog()
  let child: ChildProcess | undefined
  let isExpected = false
  let isOrderly = false
  let ended: Promise<void> = Promise.resolve()
  const part: Part = {
    name: argv.join(' '),
    unexpected,
    start() {
      if (child !== undefined) return
      isExpected = false
      isOrderly = false
      const started = startCommand(argv, settings, program)
      child = started
      if (started.stderr !== null) log.read(started.stderr)
      started.stdout?.resume()
      ended = new Promise((resolve) => {
        started.once('close', (code, signal) => {
          if (!isExpected && !(isOrderly && code === 0))
            unexpected.push(`${part.name}: ${signal ?? code}`)
          child = undefined
          resolve()
        })
      })
    },
    async kill() {
      isExpected = true
      child?.kill('SIGKILL')
      await ended
    },
    async stop() {
      isOrderly = true
      child?.kill('SIGTERM')
      await ended
    },
    signal: (signal) => void child?.kill(signal),
    pid: () => child?.pid,
    said: log.end,
    saidOfLanes: log.ofLanes,
    alarms: log.alarms,
  }
  t.teardown(() => part.kill())
  part.start()
  return part
}

/** On free ports unless they are given; of another version with its `program`. */
export async function startApi(
  t: ExecutionContext,
  settings: Readonly<Record<string, string>>,
  other: { ports?: ApiPorts; program?: string } = {},
): Promise<ApiPart> {
  const { port, grpcPort } = other.ports ?? { port: await ownPort(), grpcPort: await ownPort() }
  const own = { ...settings, PORT: String(port), GRPC_PORT: String(grpcPort) }
  return Object.assign(startPart(t, ['api'], own, other.program), { port, grpcPort })
}

/** Whether the probe on the port of an API succeeds. */
export async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.status === 200
}

export const areReady = async (apis: readonly ApiPart[]): Promise<boolean> =>
  (await Promise.all(apis.map(({ port }) => isReady(port)))).every(Boolean)
