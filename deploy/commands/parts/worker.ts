/**
 * `swaptide worker [pool ledger]`: a worker only, for a separate machine. Lanes move to it when it starts and away
 * when it stops. Signalled to end, it finishes its current batches; a broken invariant ends it with 1.
 */

import { insteadOf } from '../../../domain/text/nearest-name.ts'
import { ACTOR_NAMES } from '../../../workers/actors.ts'
import { startWorker } from '../../../workers/main.ts'
import { parseArguments, UsageError, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { findInstallation } from '../../processes/installation.ts'
import { openMetrics } from '../../processes/metrics.ts'
import {
  EXIT_IF_UNAVAILABLE,
  expectDatabase,
  openWhenReachable,
} from '../../processes/wait-for-servers.ts'
import { untilAborted } from '../../shutdown.ts'

export const described = usage({
  line: 'worker [ACTOR...] [--exit-if-unavailable]',
  options: { 'exit-if-unavailable': EXIT_IF_UNAVAILABLE },
  notes: [
    `Actors: ${ACTOR_NAMES.join(', ')}; without arguments all of them. Several workers share the lanes of an actor.`,
  ],
  examples: ['swaptide worker', 'swaptide worker pool ledger'],
})

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  const actors = actorsNamed(positionals)
  const installation = await findInstallation(context.config)
  const { redisUrl: _, ...servers } = installation
  const log = context.log('info')
  const scraped = await openMetrics(context.config, log)
  const metrics = scraped.registry
  try {
    const given = { ...servers, actors, log, metrics }
    const { signal } = context
    const exitIfUnavailable = values['exit-if-unavailable']
    const waiting = {
      ...{ log, signal, servers: installation, exitIfUnavailable },
      onUnavailable: () => scraped.forgetPart(),
    }
    const worker = await openWhenReachable(waiting, async () => {
      await expectDatabase(servers.databaseUrl, 'swaptide worker')
      return await startWorker(given)
    })
    if (worker === undefined) return EXIT_OK
    scraped.ready(servers.databaseUrl)
    log.info({ actors }, 'started worker')
    await Promise.race([untilAborted(context.signal), worker.failed]).finally(worker.stop)
  } finally {
    await scraped.close()
  }
  return EXIT_OK
}

function actorsNamed(requested: readonly string[]): string[] {
  for (const name of requested) {
    if (!ACTOR_NAMES.includes(name)) {
      throw new UsageError(`unknown actor "${name}": ${insteadOf(name, ACTOR_NAMES)}`)
    }
  }
  return requested.length === 0 ? [...ACTOR_NAMES] : [...new Set(requested)]
}
