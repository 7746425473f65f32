/** Faults of NATS, PostgreSQL, the pooler and Redis; of the nodes of NATS one at a time, so that a quorum is left. */
import type { Server } from '../../../deploy/local/servers/server.ts'
import { type Installation, untilWhole } from '../installation.ts'
import { away, type Fault, type Struck, whileFrozen } from './fault.ts'

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
  await server.stop('SIGKILL')
  await away(how)
  await server.start()
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
