/** Faults of the network: connections are reset, and refused for a while. */
import type { TcpProxy } from '../../support/servers/tcp-proxy.ts'
import type { Proxies } from '../installation.ts'
import { anyOf, away, type Fault, type Struck } from './fault.ts'

export const CONNECTION_FAULTS: readonly Fault[] = [
  cutting('to the primary', ({ primary }) => [primary]),
  cutting('to the standby', ({ standby }) => [standby]),
  cutting('to the pooler', ({ pooler }) => [pooler]),
  cutting('to Redis', ({ redis }) => [redis]),
  cutting('to a node of NATS', ({ nats }, how) => [anyOf(how, nats)]),
  cutting('to every node of NATS', ({ nats }) => nats),
  cutting('of clients', ({ clients }) => clients.flatMap(({ rest, grpc }) => [rest, grpc])),
]

function cutting(
  which: string,
  choose: (proxies: Proxies, how: Struck) => readonly TcpProxy[],
): Fault {
  return {
    name: `cut the connections ${which}`,
    async strike({ proxies }, how) {
      const chosen = choose(proxies, how)
      for (const proxy of chosen) proxy.cut()
      await away(how)
      for (const proxy of chosen) proxy.mend()
    },
  }
}
