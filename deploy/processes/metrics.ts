/**
 * The endpoint that Prometheus scrapes and orchestrators probe: `/metrics`, `/healthz` and `/readyz` on a separate port,
 * without a key, on the loopback address unless METRICS_HOST is set. It holds no secret: names, counts and times.
 *
 * A worker, a job worker and a source have no other port. They are live while they wait for their servers, and ready once
 * they have reached them, until the database went back in time. The packages name these probes:
 * docs/decisions/0061-manifests-are-run-as-processes.md
 */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { historyAt } from '../../sql/history.ts'
import type { Config } from '../config.ts'
import { PortTaken } from '../local/ports.ts'
import type { Logger } from '../log.ts'

export type Scraped = {
  registry: Registry
  /** Absent: the process is not scraped. */
  port: number | undefined
  /** From now on /readyz answers 200 instead of 503, and 503 with the reason once the database lost its history. */
  ready(databaseUrl: string): void
  /** Removes all but the default metrics: a part that failed to start registers its own again. */
  forgetPart(): void
  close(): Promise<void>
}

/** Milliseconds for a client to send its request. */
const HEADERS_BOUND_MS = 5_000
const CONNECTIONS_MAX = 50

/** A registry with the default metrics of Node processes, served where METRICS_PORT is set. */
export async function openMetrics(
  { metricsPort, metricsHost }: Pick<Config, 'metricsPort' | 'metricsHost'>,
  log: Logger,
): Promise<Scraped> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const defaults = new Set(namesOf(registry))
  const forgetPart = (): void => {
    for (const name of namesOf(registry)) {
      if (!defaults.has(name)) registry.removeSingleMetric(name)
    }
  }
  if (metricsPort === undefined) {
    return { registry, port: undefined, ready: () => {}, forgetPart, close: async () => {} }
  }
  /** Undefined: it is ready. */
  let unready: string | undefined = 'waiting for the servers'
  const server = createServer(
    { headersTimeout: HEADERS_BOUND_MS, requestTimeout: HEADERS_BOUND_MS },
    async ({ method, url = '' }, response) => {
      const path = method === 'GET' || method === 'HEAD' ? url.split('?')[0] : undefined
      if (path !== '/metrics') {
        probe(response, path, unready)
        return
      }
      try {
        const text = await registry.metrics()
        response.writeHead(200, { 'Content-Type': registry.contentType }).end(text)
      } catch (err) {
        log.error({ err }, 'failed to serve metrics')
        response.writeHead(500).end()
      }
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  await listen(server, metricsPort, metricsHost)
  const { port } = server.address() as AddressInfo
  notifyStarter(port)
  return {
    registry,
    port,
    ready: (databaseUrl) => {
      unready = undefined
      historyAt(databaseUrl).onLost(({ message }) => {
        unready = message
      })
    },
    forgetPart,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const namesOf = (registry: Registry): string[] =>
  registry.getMetricsAsArray().map(({ name }) => name)

function probe(response: ServerResponse, path: string | undefined, unready: string | undefined) {
  if (path === '/readyz' && unready !== undefined) {
    response.writeHead(503, { 'Content-Type': 'text/plain' }).end(`${unready}\n`)
    return
  }
  response.writeHead(path === '/healthz' || path === '/readyz' ? 200 : 404).end()
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE'
      reject(isTaken ? new PortTaken(port, 'metrics (METRICS_PORT)') : error)
    })
    server.listen(port, host, resolve)
  })
}

/** A process of `up` reports its metrics port: `up` lists them all for Prometheus. */
export type ScrapedMessage = { metricsPort: number }

function notifyStarter(port: number): void {
  const message: ScrapedMessage = { metricsPort: port }
  // Should the starter go just now, this process is about to end, too.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
