/** Faults of NATS, PostgreSQL, the pooler and Redis; of the nodes of NATS one at a time, so that a quorum is left. */
import type { Server } from '../../../deploy/local/servers/server.ts'
import { until } from '../../support/workers/pipeline.ts'
import type { Installation } from '../installation.ts'
import { away, BOUND_MS, type Fault, type Struck, whileFrozen } from './fault.ts'

export const SERVER_FAULTS: readonly Fault[] = [
  { name: 'kill the leader of FEED', strike: (on, how) => killNode(on, 'feed', how) },
  { name: 'kill the leader of SWAP', strike: (on, how) => killNode(on, 'swap', how) },
  { name: 'freeze the leader of FEED', strike: freezeNode },
  { name: 'kill the primary', strike: ({ primary }, how) => restarted(primary.server, how) },
  { name: 'kill the standby', strike: ({ standby }, how) => restarted(standby.server, how) },
  { name: 'kill the pooler', strike: ({ pooler }, how) => restarted(pooler.server, how) },
  { name: 'kill Redis', strike: ({ redis }, how) => restarted(redis.server, how) },
]

async function restarted(server: Server, how: Struck): Promise<void> {
  await killServer(server)
  await away(how)
  await server.start()
}

export async function killServer(server: Server): Promise<void> {
  server.kill('SIGKILL')
  await until(`${server.name} has ended`, BOUND_MS, () => server.pid === undefined)
}

async function killNode(on: Installation, which: 'feed' | 'swap', how: Struck): Promise<void> {
  const { nats, jetStream, topology } = on
  const node = await nats.leaderOf(jetStream, topology[which].stream)
  await nats.kill(node)
  await away(how)
  await nats.start(node)
  await untilWhole(on)
}

async function freezeNode(on: Installation, how: Struck): Promise<void> {
  const { nats, jetStream, topology } = on
  const node = await nats.leaderOf(jetStream, topology.feed.stream)
  nats.freeze(node)
  await whileFrozen(how)
  nats.wake(node)
  await untilWhole(on)
}

/** Every node has all messages again. */
export async function untilWhole({ nats, jetStream, topology }: Installation): Promise<void> {
  for (const { stream } of [topology.swap, topology.feed])
    await nats.untilComplete(jetStream, stream)
}
