/** The faults of the drill: what is killed, frozen or started again, each undone by itself before it returns. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '../../deploy/local/servers/server.ts'
import type { Prng } from '../../streams/simulator/prng.ts'
import { until } from '../support/workers/pipeline.ts'
import type { Installation } from './installation.ts'
import type { Part } from './part.ts'

export type Fault = { name: string; strike(on: Installation, prng: Prng): Promise<void> }

/** Milliseconds for which something is away, and frozen: longer than the lease of a lane. */
const AWAY_MS = 3_000
const FROZEN_MS = 12_000
const BOUND_MS = 120_000

export const FAULTS: readonly Fault[] = [
  { name: 'kill a worker', strike: (on, prng) => killed([anyOf(prng, on.workers)], prng) },
  { name: 'kill an API', strike: (on, prng) => killed([anyOf(prng, on.apis)], prng) },
  { name: 'kill a job worker', strike: (on, prng) => killed([anyOf(prng, on.jobs)], prng) },
  { name: 'kill every part', strike: (on, prng) => killed(on.parts, prng) },
  { name: 'freeze a worker', strike: (on, prng) => frozen(anyOf(prng, on.workers)) },
  { name: 'freeze an API', strike: (on, prng) => frozen(anyOf(prng, on.apis)) },
  { name: 'kill the leader of FEED', strike: (on, prng) => killNode(on, 'feed', prng) },
  { name: 'kill the leader of SWAP', strike: (on, prng) => killNode(on, 'swap', prng) },
  { name: 'freeze the leader of FEED', strike: (on) => freezeNode(on) },
  { name: 'kill the primary', strike: ({ primary }, prng) => restarted(primary.server, prng) },
  { name: 'kill the standby', strike: ({ standby }, prng) => restarted(standby.server, prng) },
  { name: 'kill the pooler', strike: ({ pooler }, prng) => restarted(pooler.server, prng) },
  { name: 'kill Redis', strike: ({ redis }, prng) => restarted(redis.server, prng) },
]

const anyOf = <T>(prng: Prng, all: readonly T[]): T => all[prng.below(all.length)] as T

async function killed(parts: readonly Part[], prng: Prng): Promise<void> {
  await Promise.all(parts.map((part) => part.kill()))
  await pause(prng.below(AWAY_MS))
  for (const part of parts) part.start()
}

async function frozen(part: Part): Promise<void> {
  part.signal('SIGSTOP')
  await pause(FROZEN_MS)
  part.signal('SIGCONT')
}

async function restarted(server: Server, prng: Prng): Promise<void> {
  server.kill('SIGKILL')
  await until(`${server.name} has ended`, BOUND_MS, () => server.pid === undefined)
  await pause(prng.below(AWAY_MS))
  await server.start()
}

/** One node at a time: every node has all messages again before the next fault. */
async function killNode(on: Installation, which: 'feed' | 'swap', prng: Prng): Promise<void> {
  const { nats, jetStream, topology } = on
  const node = await nats.leaderOf(jetStream, topology[which].stream)
  await nats.kill(node)
  await pause(prng.below(AWAY_MS))
  await nats.start(node)
  await untilWhole(on)
}

async function freezeNode(on: Installation): Promise<void> {
  const { nats, jetStream, topology } = on
  const node = await nats.leaderOf(jetStream, topology.feed.stream)
  nats.freeze(node)
  await pause(FROZEN_MS)
  nats.wake(node)
  await untilWhole(on)
}

async function untilWhole({ nats, jetStream, topology }: Installation): Promise<void> {
  for (const { stream } of [topology.swap, topology.feed])
    await nats.untilComplete(jetStream, stream)
}
