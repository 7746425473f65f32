/**
 * An installation that seals its swaps, at once and again while late ones come, answers the same bytes on every route as one that
 * never does, and its tables verify. Markets are by seed; a failure names it. To run one: SIMULATION_SEED=<seed> and this file only.
 */
import test from 'ava'
import type { Event, MarketEvent } from '../../domain/events/event.ts'
import { greatestOf } from '../../domain/numbers/extremes.ts'
import { DAY_MS } from '../../domain/time/time-bucket.ts'
import { Prng } from '../../streams/simulator/prng.ts'
import { verify } from '../../workers/verify/verify.ts'
import { sealRest, sealSome } from '../support/history/seal-some.ts'
import { requestedSeed, sizeOf } from '../support/seed.ts'
import type { Pipeline } from '../support/workers/pipeline.ts'
import { oneOf } from './adversary.ts'
import { chosenSubjects, differencesOfHomes, feed, type Home, marketOf } from './homes.ts'

const seeds = [requestedSeed() ?? Date.now() % 1_000_000_000]

/** Late: swaps come while those before them are sealed. A run of every day has one way, by its seed. */
const WAYS = ['late', 'at the end'] as const
const isLong = sizeOf({ daily: 0, long: 1 }) === 1
const waysOf = (seed: number) => (isLong ? WAYS : [WAYS[seed % WAYS.length]!])

for (const [seed, way] of seeds.flatMap((each) =>
  waysOf(each).map((way) => [each, way] as const),
)) {
  test.serial(
    `a home that seals the market of seed ${seed}, ${way}, answers as one that does not`,
    async (t) => {
      const events = marketOf(seed)
      const prng = new Prng([seed, 3])
      const last = retractionsOf(events, prng)
      const homes: [Home, Home] = [
        { laneCount: 1, eventsMax: 500, rounds: 1, last },
        {
          laneCount: 2,
          eventsMax: 50,
          rounds: way === 'late' ? 6 : 1,
          prng: new Prng([seed, 2]),
          last,
          ...(way === 'late' && { afterRound: ({ db }: Pipeline) => sealSome(db, prng) }),
        },
      ]
      const pipelines: [Pipeline, Pipeline] = [
        await feed(t, events, homes[0]),
        await feed(t, events, homes[1]),
      ]
      const again = `(again: SIMULATION_SEED=${seed})`
      t.true((await sealRest(pipelines[1].db)) > 0, again)
      const { stored, read, answers } = await differencesOfHomes(
        pipelines,
        chosenSubjects(events),
        seed,
      )
      t.log(`${answers} answers`)
      t.deepEqual(stored, [], again)
      t.deepEqual(read.join('\n').slice(0, 40_000), '', again)
      const { log } = pipelines[1].recording
      const report = await verify(pipelines[1].db, { log })
      t.deepEqual(
        report.tables.flatMap((table) => table.differences),
        [],
        again,
      )
    },
  )
}

/** Retractions of three slots of the newest day. */
function retractionsOf(events: readonly MarketEvent[], prng: Prng): Event[] {
  const swaps = events.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
  const newestMs = greatestOf(swaps.map(({ timestamp }) => timestamp))
  const slots = swaps.flatMap(({ slot, timestamp }) =>
    timestamp > newestMs - DAY_MS ? [slot] : [],
  )
  const gone = new Set([oneOf(prng, slots), oneOf(prng, slots), oneOf(prng, slots)])
  return [...gone].map((slot) => ({ kind: 'retract', retraction: { slot } }))
}
