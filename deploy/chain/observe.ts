/**
 * A source of chain data as operators see it: its metrics and probes, from its start, and its heartbeat once it has
 * reached its servers.
 */
import { measureSources } from '../../api/serving/operator-metrics/sources.ts'
import type { CommandContext } from '../cli/command.ts'
import { findInstallation } from '../processes/installation.ts'
import { openMetrics } from '../processes/metrics.ts'
import { openWhenReachable } from '../processes/wait-for-servers.ts'
import { Heartbeat, type HeartbeatOptions, withHeartbeat } from './heartbeat.ts'
import { type ChainServers, connectChain } from './run.ts'

/** The servers of a source that follows the chain. */
type SourceServers = ChainServers & {
  /** Runs `work` with a heartbeat that is shown and exported. Rejects with the error of `work`. */
  observe<Result>(
    options: HeartbeatOptions,
    work: (heartbeat: Heartbeat) => Promise<Result>,
  ): Promise<Result>
}

/**
 * Connects a source to its servers, waiting for those that are away; undefined after a signal to end. Rejects with
 * NothingRuns, PortTaken, and errors that waiting does not resolve.
 */
export async function connectSource(
  context: CommandContext,
  exitIfUnavailable: boolean | undefined,
): Promise<SourceServers | undefined> {
  const { config, signal } = context
  const installation = await findInstallation(config)
  const log = context.log('warn')
  const scraped = await openMetrics(config, log)
  const waiting = { log, signal, servers: installation, exitIfUnavailable }
  let servers: ChainServers | undefined
  try {
    servers = await openWhenReachable(waiting, () =>
      connectChain(installation, log, 'swaptide source'),
    )
  } finally {
    if (servers === undefined) await scraped.close()
  }
  if (servers === undefined) return undefined
  const { db, close } = servers
  return {
    ...servers,
    observe: async (options, work) => {
      const heartbeat = new Heartbeat(db, log, options)
      measureSources(scraped.registry, async () => [heartbeat.state()])
      scraped.ready(installation.databaseUrl)
      return await withHeartbeat(heartbeat, signal, () => work(heartbeat))
    },
    close: async () => {
      await close()
      await scraped.close()
    },
  }
}
