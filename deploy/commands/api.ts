/**
 * `swaptide api`: the API alone, for a machine of its own. Runs until it is asked to end, then lets
 * running requests finish.
 */
import { startApi } from '../../api/main.ts'
import { openJobQueue } from '../../streams/bullmq.ts'
import { connectJetStream } from '../../streams/jetstream.ts'
import { ensureTopology } from '../../streams/topology.ts'
import { expectNone, parseArguments, usage } from '../arguments.ts'
import { balancesOf } from '../balances.ts'
import { type CommandContext, EXIT_OK } from '../command.ts'
import { grpcOf } from '../grpc.ts'
import { measureHealth } from '../health-metrics.ts'
import { findInstallation, reachable } from '../installation.ts'
import { openMetrics, type Scraped } from '../metrics.ts'
import { mintsOf } from '../mints.ts'
import { openOperations } from '../operations.ts'
import { untilAborted } from '../shutdown.ts'

export const described = usage({
  line: 'api',
  summary: 'Serves the API on HOST (default 127.0.0.1) and PORT (8080), gRPC on GRPC_PORT (50051).',
  options: {},
  notes: ['Run "swaptide migrate" first where no other part has done so.'],
})

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  expectNone(described.line, parseArguments(described, argv).positionals)
  const { config, signal } = context
  const { natsUrl, ...installation } = await findInstallation(config)
  const log = context.log('info')
  const jetStream = await connectJetStream(natsUrl, { name: 'swaptide api', log })
  const jobs = openJobQueue({ ...installation, log })
  let scraped: Scraped | undefined
  let operations: ReturnType<typeof openOperations> | undefined
  try {
    scraped = await openMetrics(config, log)
    const { port, host, clientsMax, solUsdFallback, adminKey, upgradeUrl } = config
    const checkJetStream = reachable(jetStream)
    const providers = { ...balancesOf(config, log), ...mintsOf(config, log) }
    const topology = await ensureTopology(jetStream, installation)
    const feed = { jetStream, stream: topology.feed.stream, grpc: grpcOf(config) }
    const { databaseUrl } = installation
    operations = openOperations({ databaseUrl, jetStream, topology, jobs, log })
    const given = {
      checkJetStream,
      jobs,
      operations,
      metrics: scraped.registry,
      clientsMax,
      solUsdFallback,
      feed,
      adminKey,
      upgradeUrl,
      ...providers,
    }
    const api = await startApi({ ...installation, port, host, log, ...given })
    measureHealth(scraped.registry, api.url)
    log.info({ url: api.url, grpcPort: api.grpcPort }, 'the API listens')
    await untilAborted(signal)
    await api.stop()
    return EXIT_OK
  } finally {
    await operations?.close()
    await scraped?.close()
    await jobs.close()
    await jetStream.close()
  }
}
