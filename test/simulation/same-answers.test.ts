/**
 * Installations that are fed the same events answer the same bytes on every route: whatever the number of lanes, and
 * however late, often and in whatever batches events arrive. Markets are by seed; a failure names it. To run one:
 * SIMULATION_SEED=<seed> and this file only.
 */
import test from 'ava'
import { Prng } from '../../streams/simulator/prng.ts'
import { requestedSeed } from '../support/seed.ts'
import type { Pipeline } from '../support/workers/pipeline.ts'
import { chosenSubjects, differencesOfHomes, feed, type Home, marketOf } from './homes.ts'

const seeds = [requestedSeed() ?? Date.now() % 1_000_000_000]

for (const seed of seeds) {
  test.serial(`two homes fed the market of seed ${seed} answer the same bytes`, async (t) => {
    const events = marketOf(seed)
    const homes: [Home, Home] = [
      { laneCount: 1, eventsMax: 500, rounds: 1 },
      { laneCount: 3, eventsMax: 20, rounds: 12, prng: new Prng([seed, 2]) },
    ]
    const pipelines: [Pipeline, Pipeline] = [
      await feed(t, events, homes[0]),
      await feed(t, events, homes[1]),
    ]
    const again = `(again: SIMULATION_SEED=${seed})`
    const { stored, read, answers } = await differencesOfHomes(
      pipelines,
      chosenSubjects(events),
      seed,
    )
    t.log(`${answers} answers`)
    t.deepEqual(stored, [], again)
    t.deepEqual(read.join('\n').slice(0, 40_000), '', again)
  })
}
