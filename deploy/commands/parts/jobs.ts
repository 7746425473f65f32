/**
 * `swaptide jobs`: the job worker alone, for a separate machine; any number may run. Signalled to end, it finishes its
 * current jobs.
 */
import { startWebhooks } from '../../../api/webhooks/sending/running.ts'
import { JOB_FUNCTIONS } from '../../../workers/jobs/functions.ts'
import { startJobs } from '../../../workers/jobs/main.ts'
import { expectNone, parseArguments, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { findInstallation } from '../../processes/installation.ts'
import { openMetrics } from '../../processes/metrics.ts'
import { balancesOf } from '../../processes/part-options.ts'
import { untilAborted } from '../../shutdown.ts'

export const described = usage({
  line: 'jobs',
  options: {},
  notes: [
    'Jobs are computations that are requested or scheduled. Several job workers share the queues.',
    'With WEBHOOK_SECRET_KEY it sends the webhooks, too.',
  ],
  examples: ['swaptide jobs'],
})

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  expectNone(described.line, parseArguments(described, argv).positionals)
  const installation = await findInstallation(context.config)
  const { databaseUrl, natsUrl, redisUrl, prefix, laneCount, replicas } = installation
  const log = context.log('info')
  const {
    retention,
    webhookSecretKey: secretKey,
    webhookPolicy: policy,
    venueNames,
  } = context.config
  const scraped = await openMetrics(context.config, log)
  const servers = { databaseUrl, natsUrl, redisUrl, prefix, laneCount, replicas }
  const metrics = scraped.registry
  const webhooks =
    secretKey === undefined
      ? undefined
      : startWebhooks({ ...servers, secretKey, policy, venueNames, log, metrics })
  const jobs = startJobs({
    databaseUrl,
    redisUrl,
    prefix,
    log,
    retention,
    functions: { ...JOB_FUNCTIONS, ...(webhooks && { webhook: webhooks.deliver }) },
    streams: { natsUrl, prefix, laneCount, replicas },
    metrics,
    ...balancesOf(context.config, log),
  })
  scraped.ready()
  log.info({ jobs: jobs.names }, 'jobs are worked on')
  try {
    await untilAborted(context.signal)
  } finally {
    await webhooks?.stop()
    await jobs.stop()
    await scraped.close()
  }
  return EXIT_OK
}
