/**
 * Answers about sandwiches in a market of 500 swaps a second with bots: of now, and as of slots with later swaps, for which the last
 * slots are searched again. Requests take turns, and no cache answers.
 */

import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { SLOT_MS } from '../../../streams/simulator/tape/slot-clock.ts'
import { followSandwiches } from '../../../workers/sandwiches/follow.ts'
import { expectEqual, quantile, type Sample, sharedClockMs } from '../../measure/sample.ts'
import type { Measurement } from '../../measurement.ts'
import { type RestClient, startRest } from '../../rest-client.ts'
import type { Stage } from '../../stage.ts'
import { fillStage } from './fill.ts'

const SEED = 20_260_601
const SWAPS = 24_000
const SWAPS_PER_SLOT = (500 * SLOT_MS) / 1_000
const REQUESTS = 50
const WARM_UP_REQUESTS = 5

const NAMES = ['list', 'summary', 'wallet'] as const
type RouteName = (typeof NAMES)[number]
type Target = { slot: number; wallet: string }

const ofNow = (name: RouteName) => `sandwiches, ${name} of now, p99`
const ofSlot = (name: RouteName) => `sandwiches, ${name} as of a slot, p99`

export const sandwiches: Measurement = {
  name: 'sandwiches',
  figures: NAMES.flatMap((name) => [
    { figure: ofNow(name), unit: 'ms' },
    { figure: ofSlot(name), unit: 'ms', goal: '<= 300' },
  ]),
  round: (context) =>
    context.stages.use(async (stage) => {
      const options = { seed: SEED, swaps: SWAPS, swapsPerSlot: SWAPS_PER_SLOT, bots: {} }
      const spanMs = (SWAPS / SWAPS_PER_SLOT) * SLOT_MS
      await fillStage(stage, [...simulate({ ...options, fromMs: Date.now() - spanMs })])
      await followSandwiches(stage.db, new AbortController().signal)
      await stage.db.query('vacuum analyze')
      const rest = await startRest(stage, context.workerFlags)
      try {
        const samples: Sample[] = []
        const targets = await targetsOf(stage)
        for (const name of NAMES) samples.push(...(await measured(rest, name, targets)))
        return samples
      } finally {
        await rest.stop()
      }
    }),
}

async function measured(
  rest: RestClient,
  name: RouteName,
  targets: readonly Target[],
): Promise<Sample[]> {
  const took = { now: [] as number[], past: [] as number[] }
  for (const [count, { slot, wallet }] of targets.entries()) {
    for (const moment of ['now', 'past'] as const) {
      const path = pathOf(name, { wallet, count })
      const fromMs = sharedClockMs()
      const { status } = await rest.read(moment === 'now' ? path : `${path}&as_of_slot=${slot}`)
      expectEqual(`status of ${name}`, status, 200)
      if (count >= WARM_UP_REQUESTS) took[moment].push(sharedClockMs() - fromMs)
    }
  }
  return [
    { figure: ofNow(name), value: quantile(took.now, 0.99) },
    { figure: ofSlot(name), value: quantile(took.past, 0.99) },
  ]
}

/** Each of other parameters, so that no answer is cached. */
function pathOf(name: RouteName, { wallet, count }: { wallet: string; count: number }): string {
  const fromMs = Date.now() - DAY_MS - count
  if (name === 'list') return `/v2/mev/sandwiches?limit=${20 + count}`
  if (name === 'summary') return `/v2/mev/summary?from=${fromMs}`
  return `/v2/mev/wallets/${wallet}?from=${fromMs}`
}

/** Victims of the last half, each with the slot of its loss. */
async function targetsOf({ db }: Stage): Promise<Target[]> {
  const { rows } = await db.query<Target>(
    `select distinct on (sandwich_leg.slot) sandwich_leg.slot, wallet.address as wallet
     from sandwich_leg join wallet on wallet.id = wallet_id
     where role = 'victim'
     order by sandwich_leg.slot desc
     offset 10 limit $1`,
    [WARM_UP_REQUESTS + REQUESTS],
  )
  expectEqual('slots with a victim', rows.length, WARM_UP_REQUESTS + REQUESTS)
  return rows
}
