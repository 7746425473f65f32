/**
 * The ranking by itself: FEED as the pool lanes wrote it, complete, read by a worker that runs only the ranking, which
 * refreshes in between. Every trade is counted in its minute and its hour.
 */
import { startMeter } from '../measure/cpu.ts'
import { expectEqual } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import { beginActors, startWorkerProgram } from '../publisher.ts'
import type { FilledStage, Stage } from '../stage.ts'
import { fillFeed } from './ledger.ts'

const ALONE = 'ranking alone: FEED -> traders, pages'

/** Filled with the first round; each round reads a copy. */
let filled: FilledStage | undefined

export const rankingFeed: Measurement = {
  name: 'ranking-feed',
  needsStack: true,
  figures: [{ figure: ALONE, unit: 'swaps/s', goal: '>= 40,000' }],
  async round(context) {
    const { stack, stages, swaps, workerFlags } = context
    filled ??= await fillFeed(context, false, (stage) => beginActors(stage, ['ranking']))
    return stages.use(
      async (stage) => {
        const worker = await startWorkerProgram(stage, workerFlags, ['ranking'])
        try {
          const meter = startMeter({
            worker: worker.pid,
            PostgreSQL: stack.servers.postgres.pid,
            NATS: stack.servers.nats.pid,
          })
          worker.send({ kind: 'expect', events: { ranking: swaps } })
          const { atMs, firstMs, commits, rssBytes } = await worker.receive('done')
          const cpu = meter.perSwap(swaps)
          context.say(`ranking: ${commits} commits, ${Math.round(rssBytes / 2 ** 20)} MiB`)
          await verifyTraders(stage, swaps)
          return [{ figure: ALONE, value: (swaps * 1000) / (atMs - firstMs), cpu }]
        } finally {
          await worker.stop()
        }
      },
      { filled },
    )
  },
}

async function verifyTraders({ db }: Stage, swaps: number): Promise<void> {
  for (const table of ['trader_minute', 'trader_hour']) {
    const { rows } = await db.query<{ trades: number }>(
      `select coalesce(sum(buy_count + sell_count), 0)::bigint as trades from ${table}`,
    )
    expectEqual(`trades in ${table}`, rows[0]?.trades ?? 0, swaps)
  }
}
