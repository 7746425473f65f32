/**
 * `swaptide jobs`: the job worker alone, for a separate machine; any number may run. Signalled to end, it finishes its
 * current jobs.
 */
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
  ],
  examples: ['swaptide jobs'],
})

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  expectNone(described.line, parseArguments(described, argv).positionals)
  const { databaseUrl, natsUrl, redisUrl, prefix, laneCount } = await findInstallation(
    context.config,
  )
  const log = context.log('info')
  const { retention } = context.config
  const scraped = await openMetrics(context.config, log)
  const jobs = startJobs({
    databaseUrl,
    redisUrl,
    prefix,
    log,
    retention,
    streams: { natsUrl, prefix, laneCount },
    metrics: scraped.registry,
    ...balancesOf(context.config, log),
  })
  log.info({ jobs: jobs.names }, 'jobs are worked on')
  try {
    await untilAborted(context.signal)
  } finally {
    await jobs.stop()
    await scraped.close()
  }
  return EXIT_OK
}
