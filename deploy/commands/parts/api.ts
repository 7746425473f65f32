/**
 * `swaptide api`: the API only, for a separate machine. Waits for its servers, answering /healthz meanwhile; runs
 * until it is signalled to end, then lets running requests finish.
 */

import { openWaitingServer, type WaitingServer } from '../../../api/http/waiting-server.ts'
import { startApi } from '../../../api/main.ts'
import { bundleInBackground } from '../../../api/pages/bundle.ts'
import { openJobQueue } from '../../../streams/jobs/bullmq.ts'
import { connectJetStream } from '../../../streams/nats/jetstream.ts'
import { ensureTopology } from '../../../streams/nats/topology.ts'
import { expectNone, parseArguments, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import type { Logger } from '../../log.ts'
import { openOperations } from '../../operations/operations.ts'
import { measureHealth } from '../../processes/health-metrics.ts'
import { findInstallation, type Installation, reachable } from '../../processes/installation.ts'
import { openMetrics, type Scraped } from '../../processes/metrics.ts'
import { balancesOf, grpcOf, mintsOf, webhooksOf } from '../../processes/part-options.ts'
import {
  EXIT_IF_UNAVAILABLE,
  expectDatabase,
  openWhenReachable,
} from '../../processes/wait-for-servers.ts'
import { type Closers, createLoggingClosers, untilAborted } from '../../shutdown.ts'

export const described = usage({
  line: 'api [--exit-if-unavailable]',
  options: { 'exit-if-unavailable': EXIT_IF_UNAVAILABLE },
  notes: [
    'Serves HTTP on HOST and PORT, gRPC on GRPC_PORT. Run "swaptide migrate" first unless another process did.',
  ],
  examples: ['swaptide api', 'HOST=0.0.0.0 PORT=9000 swaptide api --exit-if-unavailable'],
})

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const { config, signal } = context
  const installation = await findInstallation(config)
  const log = context.log('info')
  const scraped = await openMetrics(config, log)
  let standIn: WaitingServer | undefined
  const closeStandIn = async (): Promise<void> => {
    await standIn?.close()
    standIn = undefined
  }
  const waiting = {
    ...{ log, signal, servers: installation },
    exitIfUnavailable: values['exit-if-unavailable'],
    onUnavailable: async (reason: string) => {
      scraped.forgetPart()
      standIn ??= await openWaitingServer(config.port, config.host)
      standIn.reason = reason
    },
  }
  try {
    const closers = await openWhenReachable(waiting, () =>
      openApi(context, installation, scraped, log, closeStandIn),
    )
    if (closers === undefined) return EXIT_OK
    scraped.ready(installation.databaseUrl)
    await untilAborted(signal)
    await closers.closeAll()
    return EXIT_OK
  } finally {
    await closeStandIn()
    await scraped.close()
  }
}

/** The API and its connections, with the function that closes them. Leaves nothing open when it rejects. */
async function openApi(
  { config }: CommandContext,
  { natsUrl, ...installation }: Installation,
  { registry }: Scraped,
  log: Logger,
  beforeListening: () => Promise<void>,
): Promise<Closers> {
  const closers = createLoggingClosers(log)
  try {
    const { databaseUrl } = installation
    await expectDatabase(databaseUrl, 'swaptide api')
    const jetStream = await connectJetStream(natsUrl, { name: 'swaptide api', log })
    closers.add('NATS connection', () => jetStream.close())
    const topology = await ensureTopology(jetStream, installation)
    const jobs = openJobQueue({ ...installation, log })
    closers.add('job queues', () => jobs.close())
    const operations = openOperations({ databaseUrl, jetStream, topology, jobs, log })
    closers.add('connections of operators', () => operations.close())
    const { port, host, clientsMax, solUsdFallback, adminKey, upgradeUrl, lakeDir } = config
    const { mcpOrigins, venueNames, publicPages } = config
    const given = {
      ...{ jobs, operations, clientsMax, solUsdFallback, adminKey, upgradeUrl, lakeDir },
      ...{ mcpOrigins, venueNames, publicPages },
      checkJetStream: reachable(jetStream, installation.prefix),
      metrics: registry,
      standbys: config.standbys,
      feed: { jetStream, stream: topology.feed.stream, grpc: grpcOf(config) },
      ...webhooksOf(config),
      ...balancesOf(config, log),
      ...mintsOf(config, log),
    }
    await beforeListening()
    const api = await startApi({ ...installation, port, host, log, ...given })
    closers.add('API', () => api.stop())
    measureHealth(registry, api.url)
    log.info({ url: api.url, grpcPort: api.grpcPort }, 'started API')
    bundleInBackground(log)
    return closers
  } catch (error) {
    await closers.closeAll()
    throw error
  }
}
