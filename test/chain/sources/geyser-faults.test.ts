/**
 * The Yellowstone source over a real gRPC connection with faults by name and by seed: what comes out is what decoding the
 * same blocks yields, event for event, none lost, none doubled.
 */
import test from 'ava'
import { Prng } from '../../../streams/simulator/prng.ts'
import {
  disturbed,
  GEYSER_FAULT_NAMES,
  type GeyserFault,
} from '../../support/chain/geyser/faults.ts'
import { chain, expected, run, script } from '../../support/chain/geyser/run.ts'
import type { Order } from '../../support/chain/geyser/script.ts'
import { printed } from '../../support/chain/read-through.ts'

import { requestedSeed } from '../../support/seed.ts'

for (const order of ['recorded', 'held'] as const) {
  test(`reads a stream without faults, statuses ${order}, and fetches nothing`, async (t) => {
    const { events, errors, fetched, notices } = await run(t, script(order))
    t.true(printed(events) === expected)
    t.deepEqual([errors, fetched, notices], [[], [], []])
  })
}

for (const fault of GEYSER_FAULT_NAMES) {
  test(`yields every event once with the fault "${fault}" at five slots`, async (t) => {
    for (const order of ['recorded', 'held'] as const) {
      const faults: GeyserFault[] = new Array(5).fill(fault)
      const steps = disturbed(script(order), chain, faults, new Prng([requestedSeed() ?? 29]))
      const { events } = await run(t, steps)
      t.true(printed(events) === expected, `${fault}, ${order}: ${events.length} events`)
    }
  })
}

test('yields every event once with 200 faults drawn by seed', async (t) => {
  const first = requestedSeed() ?? Math.floor(Math.random() * 1e6)
  for (let seed = first; seed < first + 10; seed++) {
    const prng = new Prng([seed])
    const order: Order = prng.below(2) === 0 ? 'recorded' : 'held'
    const faults = Array.from(
      { length: 20 },
      () => GEYSER_FAULT_NAMES[prng.below(GEYSER_FAULT_NAMES.length)] as GeyserFault,
    )
    const steps = disturbed(script(order), chain, faults, prng)
    const server = prng.below(2) === 0 ? {} : { ringSteps: 1_000 }
    const { events } = await run(t, steps, { server })
    t.true(printed(events) === expected, `SIMULATION_SEED=${seed} ${order} ${faults}`)
  }
})
