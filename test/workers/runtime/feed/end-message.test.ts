/** The message that confirms the end of FEED: every reader passes it by, and none counts it as an event or as a loss. */
import test from 'ava'
import { endSubject, feedStreamSubject } from '../../../../streams/nats/subject.ts'
import { ACTOR_NAMES } from '../../../../workers/actors.ts'
import { untilRankingCaughtUp } from '../../../support/ranking/ranking.ts'
import { verifiedHashes } from '../../../support/verify/hashes.ts'
import { untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import { openPipeline, type Pipeline, publishAll } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'

const SWAPS = 400

async function caughtUp(pipeline: Pipeline): Promise<void> {
  await untilLedgerCaughtUp(pipeline)
  await untilRankingCaughtUp(pipeline)
}

test('workers pass by messages that confirm the end of FEED', async (t) => {
  const events = smallMarket(17, SWAPS)
  const half = events.length / 2
  const [plain, confirmed] = [await openPipeline(t), await openPipeline(t)]
  for (const pipeline of [plain, confirmed]) {
    const worker = await runWorker(t, pipeline, { actors: ACTOR_NAMES })
    await publishAll(pipeline, events.slice(0, half))
    await caughtUp(pipeline)
    if (pipeline === confirmed) {
      const subject = endSubject(feedStreamSubject(pipeline.prefix))
      for (let times = 0; times < 2; times++) {
        await pipeline.jetStream.publish(subject, new Uint8Array(0))
      }
    }
    await publishAll(pipeline, events.slice(half))
    await caughtUp(pipeline)
    t.is(worker.failure(), undefined)
  }
  t.deepEqual(await verifiedHashes(t, confirmed), await verifiedHashes(t, plain))
  const { rows } = await confirmed.db.query('select count(*)::integer as count from dead_letter')
  t.is(rows[0].count, 0)
  const reports = confirmed.recording.lines.filter((line) => /lost|damaged|broken/.test(line))
  t.deepEqual(reports, [])
})
