// The API with its feeds in a separate process, for tests that kill it or measure its memory.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Timing } from '../../../api/feed/websocket/protocol/timing.ts'
import { testServers } from '../servers/servers.ts'
import type { Pipeline } from '../workers/pipeline.ts'

const PROGRAM = join(import.meta.dirname, 'feed-program.ts')

type FeedServer = {
  child: ChildProcess
  port: number
  /** The log of the process, line by line. */
  said: string[]
}

/** A program, killed with the test. */
export function startChild(t: ExecutionContext, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

/** Resolves when it listens. `port` 0: any that is free. */
export async function startFeedServer(
  t: ExecutionContext,
  pipeline: Pipeline,
  given: { port?: number; timing?: Timing; clientsMax?: number } = {},
): Promise<FeedServer> {
  const { databaseUrl, natsUrl, prefix, laneCount } = pipeline
  const { redisUrl } = testServers()
  const options = { databaseUrl, natsUrl, redisUrl, prefix, laneCount, port: 0, ...given }
  const child = startChild(t, [PROGRAM, JSON.stringify(options)])
  const said: string[] = []
  child.stderr?.on('data', (part) => said.push(...String(part).split('\n')))
  const first = child.stdout && once(child.stdout, 'data')
  const [line] = (await Promise.race([first, once(child, 'exit').then(() => [])])) as unknown[]
  if (line === undefined) throw new Error(`the API process ended: ${said.slice(-20).join('\n')}`)
  return { child, port: Number(String(line)), said }
}

/** Bytes of memory that a program holds. */
export function residentBytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024
}
