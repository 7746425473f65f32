/** verify compares the rankings that readers get with the tables, and reports what the ranking worker left stale. */

import test, { type ExecutionContext } from 'ava'
import { ACTOR_NAMES } from '../../../workers/actors.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import { openPipeline, type Pipeline, publishAll } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

async function rankedMarket(t: ExecutionContext): Promise<Pipeline> {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: ACTOR_NAMES })
  await publishAll(pipeline, smallMarket(5, 300))
  await untilLedgerCaughtUp(pipeline)
  await untilRankingCaughtUp(pipeline)
  return pipeline
}

const verified = ({ db, recording }: Pipeline) => verify(db, { log: recording.log })

test.serial('rankings of a worker that runs are compared, and equal', async (t) => {
  const { rankings, clean } = await verified(await rankedMarket(t))
  t.deepEqual(rankings.differences, [])
  t.true(rankings.tokens > 0)
  t.true(clean)
})

/** Each is a difference of another page. */
const STALE = {
  'trending 1m with rugged, ':
    'update trending_token set figures = array_replace(figures, figures[1], figures[1] + 1)',
  'gainers 1h, ':
    'update mover_token set figures = array_replace(figures, figures[2], figures[2] + 1)',
  'trending 24h: ':
    "update trending_page set token_ids = token_ids[2:] || token_ids[1:1] where window_minutes = 1440 and sector = ''",
  'trending 4h: ': 'update trending_page set total = total + 1 where window_minutes = 240',
  'losers 24h: ': 'update mover_page set token_ids = token_ids[2:] where window_minutes = 1440',
}

test.serial('figures and pages that are not as the tables have them are differences', async (t) => {
  const pipeline = await rankedMarket(t)
  t.true((await verified(pipeline)).clean)
  for (const change of Object.values(STALE)) {
    t.true((await pipeline.db.query(change)).rowCount! > 0)
  }
  const { rankings, tables, clean } = await verified(pipeline)
  t.true(tables.every(({ equal }) => equal))
  for (const beginning of Object.keys(STALE)) {
    const found = rankings.differences.find((text) => text.startsWith(beginning))
    t.regex(found ?? `none of ${beginning}`, /: served .+, folded /)
  }
  t.false(clean)
})

test.serial('without a worker of rankings nothing is compared', async (t) => {
  const pipeline = await openPipeline(t)
  const worker = await runWorker(t, pipeline, { actors: ACTOR_NAMES })
  await publishAll(pipeline, smallMarket(5, 300))
  await untilLedgerCaughtUp(pipeline)
  await untilRankingCaughtUp(pipeline)
  await worker.stop()
  await pipeline.db.query('update trending_token set figures[1] = figures[1] + 1')
  const { rankings, clean } = await verified(pipeline)
  t.deepEqual(rankings, { tokens: 0, differences: [] })
  t.true(clean)
})
