/**
 * Ports of `up`, checked before anything starts: a port that is in use or configured twice is the most likely error,
 * and a process that failed on it later would restart again and again, unseen.
 */
import type { Config } from '../config.ts'
import { isFree, PortTaken } from '../local/ports.ts'

type Wanted = { port: number; host: string; for: string; by: string }

const PORT_MAX = 65_535

/** The port on which a process of `up` is scraped, the first being 0; 0: any that is free. */
export function metricsPortOf({ metricsPort = 0 }: Pick<Config, 'metricsPort'>, at: number) {
  return metricsPort === 0 ? 0 : metricsPort + at
}

export type Listening = Pick<Config, 'port' | 'host' | 'grpcPort' | 'metricsPort' | 'metricsHost'>

/** Rejects where that many processes could not listen as configured. */
export async function refusePorts(config: Listening, processes: number): Promise<void> {
  const { port, host, grpcPort, metricsHost } = config
  const last = metricsPortOf(config, processes - 1)
  if (last > PORT_MAX) {
    throw new Error(
      `METRICS_PORT "${config.metricsPort}": expected ${PORT_MAX - processes + 1} at most, since each of ` +
        `${processes} processes takes the next one`,
    )
  }
  const scraped = Array.from({ length: processes }, (_, at) => ({
    port: metricsPortOf(config, at),
    host: metricsHost,
    for: 'metrics (METRICS_PORT)',
    by: `METRICS_PORT (${config.metricsPort} to ${last})`,
  }))
  const wanted: Wanted[] = [
    { port, host, for: 'the API (PORT)', by: 'PORT' },
    { port: grpcPort, host, for: 'gRPC (GRPC_PORT)', by: 'GRPC_PORT' },
    ...scraped,
  ].filter((each) => each.port !== 0)
  for (const [at, each] of wanted.entries()) {
    const other = wanted.slice(0, at).find((earlier) => earlier.port === each.port)
    if (other !== undefined) {
      throw new Error(
        `port ${each.port} is configured twice, by ${other.by} and by ${each.by}: set another port`,
      )
    }
  }
  for (const each of wanted) {
    if (!(await isFree(each.port, each.host))) throw new PortTaken(each.port, each.for)
  }
}
