// Ports of the embedded servers, all on the loopback address. A port that a person asked for and
// another program holds is said by name; a port of our own choosing is simply chosen again.

import { createServer } from 'node:net'
import type { Ports } from './state.ts'

export const LOOPBACK = '127.0.0.1'

export class PortTaken extends Error {
  override name = 'PortTaken'

  constructor(port: number, server: string) {
    super(`port ${port} for ${server} is taken: end the program that holds it or choose another`)
  }
}

/** Whether a server could listen on the port now. */
export async function isFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== undefined
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0)
  if (port === undefined) throw new Error('no free port is left on the loopback address')
  return port
}

const NAMES = { postgres: 'PostgreSQL', nats: 'NATS', redis: 'Redis' } as const
const KINDS = ['postgres', 'nats', 'redis'] as const

/** The asked ports, else the ones kept from an earlier start, else free ones. */
export async function choosePorts(
  asked: Partial<Ports>,
  kept: Partial<Ports>,
  log: (line: string) => void,
): Promise<Ports> {
  const chosen: Ports = { postgres: 0, nats: 0, redis: 0 }
  for (const kind of KINDS) {
    const wanted = asked[kind] || kept[kind]
    const isWantedFree = wanted !== undefined && (await isFree(wanted))
    if (isWantedFree) {
      chosen[kind] = wanted
      continue
    }
    if (asked[kind]) throw new PortTaken(asked[kind], NAMES[kind])
    do chosen[kind] = await freePort()
    while (KINDS.some((other) => other !== kind && chosen[other] === chosen[kind]))
    if (wanted !== undefined) {
      log(`port ${wanted} for ${NAMES[kind]} is taken since the last start: using ${chosen[kind]}`)
    }
  }
  return chosen
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
      const bound = server.address()
      const taken = typeof bound === 'object' && bound !== null ? bound.port : undefined
      server.close(() => resolve(taken))
    })
  })
}
