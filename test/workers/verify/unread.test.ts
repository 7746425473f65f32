/** verify of a database whose ledger and ranking lag: the reason is listed once for each table, not every row that follows from it. */
import test from 'ava'
import { ACTOR_NAMES } from '../../../workers/actors.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import { openPipeline, publishAll, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket, swapsOf } from '../../support/workers/small-market.ts'

test('a lag of ledger and ranking is the only difference of their tables', async (t) => {
  const pipeline = await openPipeline(t)
  const market = smallMarket(5, 600)
  const all = await runWorker(t, pipeline, { actors: ACTOR_NAMES })
  const [first, rest] = [market.slice(0, 300), market.slice(300)]
  await publishAll(pipeline, first)
  await untilLedgerCaughtUp(pipeline)
  await untilRankingCaughtUp(pipeline)
  await all.stop()
  const pools = await runWorker(t, pipeline, { actors: ['pool'] })
  await publishAll(pipeline, rest)
  await untilCaughtUp(pipeline)
  await pools.stop()

  const { tables, clean } = await verify(pipeline.db, { log: pipeline.recording.log, waitMs: 0 })
  t.false(clean)
  const wrong = tables.filter(({ equal }) => !equal)
  for (const { name, differences } of wrong) {
    t.is(differences.length, 1, name)
    const lag = `has not read ${swapsOf(rest)} swaps yet: verify again`
    t.true(differences[0]?.includes(lag), differences[0])
  }
  const names = wrong.map(({ name }) => name)
  t.true(names.includes('position') && names.includes('trader_minute'), names.join())
})
