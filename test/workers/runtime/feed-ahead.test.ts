/**
 * A database that was replaced, or restored while nothing ran, under a FEED that another one wrote: no actor continues
 * with it.
 */
import test from 'ava'
import { commitFailureSubject } from '../../../streams/nats/subject.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import { openPipeline, publishAll, until, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

for (const actors of [['pool'], ['ledger'], ['ranking'], ['pool', 'ledger', 'ranking']]) {
  test(`a worker of ${actors.join(', ')} refuses to go on with a FEED that is ahead of its database`, async (t) => {
    const pipeline = await openPipeline(t)
    const first = await runWorker(t, pipeline, { actors: ['pool', 'ledger'] })
    await publishAll(pipeline, smallMarket(900, 100), { eventsMax: 8 })
    await untilCaughtUp(pipeline, 60_000)
    await untilLedgerCaughtUp(pipeline, 60_000)
    await first.stop()
    const replaced = await testDatabase()
    t.teardown(() => replaced.drop())
    const { databaseUrl, db } = replaced
    const reported: string[] = []
    const subject = commitFailureSubject(pipeline.prefix)
    const hush = pipeline.jetStream.listen(subject, (text) =>
      reported.push(Buffer.from(text).toString()),
    )
    t.teardown(hush)
    await runWorker(t, { ...pipeline, databaseUrl, db }, { actors })
    for (const actor of actors) {
      await until(`${actor} says so`, 60_000, () =>
        pipeline.recording.lines.some((line) =>
          new RegExp(
            `^error restarting lane from checkpoint {"actor":"${actor}".*is not the database`,
            's',
          ).test(line),
        ),
      )
      await until(`the API hears of ${actor}`, 60_000, () =>
        reported.some(
          (text) => text.startsWith(`${actor} lane`) && text.endsWith('swaptide recover"'),
        ),
      )
    }
    const { rows } = await db.query(
      `select (select count(*) from swap) + (select count(*) from position)
         + (select count(*) from ledger_audit) + (select count(*) from dead_letter) as written`,
    )
    t.is(Number(rows[0].written), 0)
  })
}
