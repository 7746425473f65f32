/** SWAP -> pools -> FEED -> ledger, with real servers: for any arrivals the rows equal the model's. */
import test from 'ava'
import { Prng } from '../../../streams/simulator/prng.ts'
import { assertLedger, ledgerLagOf, untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import { openPipeline, publishAll, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'
import { publishApart, spawnWorker } from '../../support/workers/spawned-worker.ts'

const BOTH = ['pool', 'ledger']

function shuffled<Value>(seed: number, values: readonly Value[]): Value[] {
  const prng = new Prng([seed, 7])
  return values
    .map((value) => ({ value, place: prng.below(1_000_000_000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value)
}

test.serial('a market in order ends in the rows of the model', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: BOTH })
  await publishAll(pipeline, smallMarket(300, 2_000), { eventsMax: 40 })
  await untilLedgerCaughtUp(pipeline)
  await assertLedger(t, pipeline)
})

test.serial('a market in any order ends in the rows of the model', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: BOTH })
  await publishAll(pipeline, shuffled(301, smallMarket(301, 2_000)), { eventsMax: 10 })
  await untilLedgerCaughtUp(pipeline)
  await assertLedger(t, pipeline)
})

test.serial(
  'a ledger that begins when all has been published reads it from the start',
  async (t) => {
    const pipeline = await openPipeline(t)
    const pools = await runWorker(t, pipeline)
    await publishAll(pipeline, shuffled(302, smallMarket(302, 1_500)), { eventsMax: 25 })
    await untilCaughtUp(pipeline)
    await pools.stop()
    await runWorker(t, pipeline, { actors: ['ledger'] })
    await untilLedgerCaughtUp(pipeline)
    await assertLedger(t, pipeline)
  },
)

for (const [index, step] of (['pulled', 'folded', 'written', 'committed'] as const).entries()) {
  test.serial(
    `a worker of the ledger killed at "${step}" is followed by another, exactly`,
    async (t) => {
      const pipeline = await openPipeline(t)
      const events = shuffled(310 + index, smallMarket(310 + index, 600))
      await runWorker(t, pipeline)
      const doomed = await spawnWorker(t, pipeline, {
        actors: ['ledger'],
        fault: { step, after: 5, signal: 'SIGKILL' },
      })
      const given = { worker: doomed, eventsMax: 10, lag: ledgerLagOf }
      await publishApart(pipeline, events.slice(0, 300), given)
      t.is(await doomed.ended, 'SIGKILL')
      await spawnWorker(t, pipeline, { actors: ['ledger'] })
      await publishAll(pipeline, events.slice(300), { eventsMax: 10 })
      await untilLedgerCaughtUp(pipeline)
      await assertLedger(t, pipeline)
    },
  )
}
