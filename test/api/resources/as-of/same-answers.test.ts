/**
 * Answers as of a slot equal those of an installation that was fed up to this slot, byte for byte, on every route that accepts
 * `as_of_slot`: after late arrivals, duplicates and a retraction. Histories are by seed.
 */
import test from 'ava'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { asOfHistory, disordered, upTo } from '../../../support/api/walk/as-of-history.ts'
import { answersOf } from '../../../support/api/walk/installation.ts'
import { differencesOf } from '../../../support/api/walk/routes.ts'
import { someOf, subjectsOf } from '../../../support/api/walk/subjects.ts'
import { freshSeed, requestedSeed, sizeOf } from '../../../support/seed.ts'
import { openPipeline, publishAll, untilCaughtUp } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const BOUND_MS = 120_000
const SEED = requestedSeed() ?? freshSeed()
const SWAPS = sizeOf({ daily: 60, long: 200 })
const SLOTS = sizeOf({ daily: 2, long: 20 })
const SUBJECTS_MAX = 2

test(`answers as of a slot are those of an installation fed up to it, by seed ${SEED}`, async (t) => {
  const prng = new Prng([SEED])
  const { events, block, retraction, lastSlot } = asOfHistory(prng, SWAPS)
  const subjects = someOf(subjectsOf([...events, ...block]), SUBJECTS_MAX)
  const whole = await openPipeline(t)
  await runWorker(t, whole, { actors: ['pool'] })
  const arriving = disordered(prng, events)
  await publishAll(whole, [...arriving.slice(0, SWAPS / 2), ...block])
  await untilCaughtUp(whole, BOUND_MS)
  await publishAll(whole, [...arriving.slice(SWAPS / 2), retraction])
  await untilCaughtUp(whole, BOUND_MS)

  const random = Array.from({ length: SLOTS }, () => 1_000 + prng.below(lastSlot - 999))
  const slots = [...new Set([999, ...random, lastSlot])].sort((a, b) => a - b)
  const part = await openPipeline(t)
  await runWorker(t, part, { actors: ['pool'] })
  for (const slot of slots) {
    await publishAll(part, upTo(events, slot))
    await untilCaughtUp(part, BOUND_MS)
    const past = await answersOf(whole, subjects, { asOf: slot })
    const fed = await answersOf(part, subjects, { asOf: 'now' })
    t.true(past.size > 50)
    const differences = differencesOf(past, fed)
    t.deepEqual(differences, [], `slot ${slot} (again: SIMULATION_SEED=${SEED})`)
  }
})
