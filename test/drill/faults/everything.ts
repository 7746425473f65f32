/** Every part and every server is killed at one moment, as by a loss of power, and all start again in any order. */
import { type Installation, untilWhole } from '../installation.ts'
import { away, type Fault, type Struck } from './fault.ts'

export const EVERYTHING: Fault = { name: 'restart everything', strike: restartEverything }

async function restartEverything(on: Installation, how: Struck): Promise<void> {
  const { parts, nats, primary, standby, pooler, redis } = on
  const servers = [...nats.nodes, primary, standby, pooler, redis].map(({ server }) => server)
  await Promise.all([
    ...parts.map((part) => part.kill()),
    ...servers.map((server) => server.stop('SIGKILL')),
  ])
  const starts = [
    ...parts.map((part) => async () => part.start()),
    ...servers.map((server) => () => server.start()),
  ]
  const pending: Promise<void>[] = []
  while (starts.length > 0) {
    const [start] = starts.splice(how.prng.below(starts.length), 1)
    if (start !== undefined) pending.push(start())
  }
  await away(how)
  await Promise.all(pending)
  await untilWhole(on)
}
