/** A source of chain data as operators see it: its heartbeat, and metrics where METRICS_PORT is set. */
import { measureSources } from '../../api/serving/source-metrics.ts'
import type { CommandContext } from '../cli/command.ts'
import { openMetrics } from '../processes/metrics.ts'
import { Heartbeat, type HeartbeatOptions, withHeartbeat } from './heartbeat.ts'
import type { ChainServers } from './run.ts'

/** Runs a source that follows the chain. Rejects with the error of `work`, or PortTaken. */
export async function observeSource<Result>(
  context: CommandContext,
  { db, log }: Pick<ChainServers, 'db' | 'log'>,
  options: HeartbeatOptions,
  work: (heartbeat: Heartbeat) => Promise<Result>,
): Promise<Result> {
  const heartbeat = new Heartbeat(db, log, options)
  const scraped = await openMetrics(context.config, log)
  try {
    measureSources(scraped.registry, async () => [heartbeat.state()])
    scraped.ready()
    return await withHeartbeat(heartbeat, context.signal, () => work(heartbeat))
  } finally {
    await scraped.close()
  }
}
