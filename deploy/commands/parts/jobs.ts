/**
 * `swaptide jobs`: the job worker only, for a separate machine; any number may run. Signalled to end, it finishes its
 * current jobs.
 */

import { computeBacktest } from '../../../api/resources/backtest/jobs/compute.ts'
import { computeRankings } from '../../../api/resources/leaderboard/past/compute.ts'
import { startWebhooks } from '../../../api/webhooks/sending/running.ts'
import { JOB_FUNCTIONS } from '../../../workers/jobs/functions.ts'
import { startJobs } from '../../../workers/jobs/main.ts'
import { expectNone, parseArguments, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { exportedUntil } from '../../export/daily.ts'
import type { Logger } from '../../log.ts'
import { findInstallation, type Installation } from '../../processes/installation.ts'
import { openMetrics, type Scraped } from '../../processes/metrics.ts'
import { balancesOf, imagesOf, namesOf } from '../../processes/part-options.ts'
import {
  EXIT_IF_UNAVAILABLE,
  expectDatabase,
  openWhenReachable,
} from '../../processes/wait-for-servers.ts'
import { untilAborted } from '../../shutdown.ts'

export const described = usage({
  line: 'jobs [--exit-if-unavailable]',
  options: { 'exit-if-unavailable': EXIT_IF_UNAVAILABLE },
  notes: [
    'Jobs are computations that are requested or scheduled. Several job workers share the queues.',
    'With WEBHOOK_SECRET_KEY it sends the webhooks, too.',
  ],
  examples: ['swaptide jobs'],
})

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const installation = await findInstallation(context.config)
  const log = context.log('info')
  const scraped = await openMetrics(context.config, log)
  try {
    const waiting = {
      ...{ log, signal: context.signal, servers: installation },
      exitIfUnavailable: values['exit-if-unavailable'],
    }
    await openWhenReachable(waiting, () =>
      expectDatabase(installation.databaseUrl, 'swaptide jobs'),
    )
    if (!context.signal.aborted) await work(context, installation, scraped, log)
  } finally {
    await scraped.close()
  }
  return EXIT_OK
}

/** Works on jobs until the process is signalled to end. */
async function work(
  { config, signal }: CommandContext,
  installation: Installation,
  scraped: Scraped,
  log: Logger,
): Promise<void> {
  const { retention, webhookSecretKey: secretKey, webhookPolicy: policy, venueNames } = config
  const { lakeDir } = config
  const { databaseUrl, redisUrl, ...streams } = installation
  const metrics = scraped.registry
  const webhooks =
    secretKey === undefined
      ? undefined
      : startWebhooks({ ...installation, secretKey, policy, venueNames, log, metrics })
  const jobs = startJobs({
    databaseUrl,
    redisUrl,
    prefix: streams.prefix,
    log,
    retention,
    sealAfterHours: config.sealAfterHours,
    historyDays: config.historyDays,
    ...(lakeDir === undefined ? {} : { exportedUntil: (db) => exportedUntil(db, lakeDir) }),
    functions: {
      ...JOB_FUNCTIONS,
      backtest: computeBacktest,
      'past-ranking': computeRankings,
      ...(webhooks && { webhook: webhooks.deliver }),
    },
    streams,
    metrics,
    ...balancesOf(config, log),
    ...namesOf(config, log),
    ...imagesOf(config),
  })
  scraped.ready(databaseUrl)
  log.info({ jobs: jobs.names }, 'started job worker')
  try {
    await untilAborted(signal)
  } finally {
    await webhooks?.stop()
    await jobs.stop()
  }
}
