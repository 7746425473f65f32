// Ports of the embedded servers, all on the loopback address. A configured port that another program holds is reported
// by name; a chosen port is simply chosen again.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import type { Ports } from './state.ts'

export const LOOPBACK = '127.0.0.1'
/**
 * The range of chosen ports: below the range of outgoing connections, any of which could occupy a port between its
 * choice and the server that listens on it.
 */
const PORTS = { first: 20_000, end: 32_768 }
const TRIES_MAX = 200

export class PortTaken extends Error {
  override name = 'PortTaken'

  constructor(port: number, server: string) {
    super(`port ${port} for ${server} is taken: end the program that holds it or choose another`)
  }
}

/** Whether a server could listen on the port now. Rejects where more than another program is in its way. */
export function isFree(port: number, host = LOOPBACK): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen({ port, host, exclusive: true }, () => {
      server.close(() => resolve(true))
    })
  })
}

/** A port that is free now, and outside of the range of outgoing connections. */
async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = randomInt(PORTS.first, PORTS.end)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port was found from ${PORTS.first} on, on the loopback address`)
}

const NAMES = { postgres: 'PostgreSQL', nats: 'NATS', redis: 'Redis' } as const
const KINDS = ['postgres', 'nats', 'redis'] as const

/** The configured ports, else the ones stored by an earlier start, else free ones. */
export async function choosePorts(
  configured: Partial<Ports>,
  stored: Partial<Ports>,
  log: (line: string) => void,
): Promise<Ports> {
  const chosen: Ports = { postgres: 0, nats: 0, redis: 0 }
  for (const kind of KINDS) {
    const wanted = configured[kind] || stored[kind]
    const isWantedFree = wanted !== undefined && (await isFree(wanted))
    if (isWantedFree) {
      chosen[kind] = wanted
      continue
    }
    if (configured[kind]) throw new PortTaken(configured[kind], NAMES[kind])
    do chosen[kind] = await freePort()
    while (KINDS.some((other) => other !== kind && chosen[other] === chosen[kind]))
    if (wanted !== undefined) {
      log(`port ${wanted} for ${NAMES[kind]} is taken since the last start: using ${chosen[kind]}`)
    }
  }
  return chosen
}
