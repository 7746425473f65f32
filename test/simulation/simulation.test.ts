/**
 * Markets by seed, reordered, delivered twice and folded by workers that crash: the tables and FEED
 * against the naive model. Seeds that failed once run first, then fresh ones.
 * A failure names its seed; to run one: SIMULATION_SEED=<seed> and this file only.
 */
import test from 'ava'
import type { Event } from '../../domain/events/event.ts'
import { assertTraders, untilRankingCaughtUp } from '../support/ranking/ranking.ts'
import { seedsOf } from '../support/seed.ts'
import { assertLedger, untilLedgerCaughtUp } from '../support/workers/ledger.ts'
import { openPipeline, readSwap } from '../support/workers/pipeline.ts'
import { assertExact } from './judge.ts'
import { identityOfPoolEvent, identityOfSwap } from './model.ts'
import { deliver, deliveriesOf, ENDED } from './scenario.ts'

/** Fresh seeds a run, about 10 s of CPU each. */
const FRESH_SEEDS = { daily: 1, long: 6 }

for (const seed of seedsOf('simulation', FRESH_SEEDS)) {
  test.serial(`the market of seed ${seed} ends in the model's tables and feed`, async (t) => {
    const pipeline = await openPipeline(t)
    const batches = deliveriesOf(seed, pipeline)
    await deliver(t, seed, pipeline, batches)
    await untilLedgerCaughtUp(pipeline, 60_000)
    await untilRankingCaughtUp(pipeline, 60_000)
    const hint = `(again: SIMULATION_SEED=${seed})`
    const arrived = keysOf(await readSwap(pipeline))
    t.deepEqual(arrived, keysOf(batches.flatMap((batch) => batch.events)), hint)
    await assertExact(t, pipeline, { hint })
    await assertLedger(t, pipeline, { hint })
    await assertTraders(t, pipeline, hint)
    const ended = pipeline.recording.lines.filter((line) => line.includes(ENDED))
    t.deepEqual(ended, [], hint)
  })
}

function keysOf(events: readonly Event[]): string[] {
  const keys = events.map((event) => {
    if (event.kind === 'swap') return identityOfSwap(event.swap)
    if (event.kind === 'pool_event') return identityOfPoolEvent(event.poolEvent)
    return event.kind === 'token' ? event.token.tokenAddress : String(event.retraction.slot)
  })
  return [...new Set(keys)].sort()
}
