/**
 * Answers about a wallet of 10,000 swaps as of a slot, next to those of now: of the newest slot, of one that is some swaps of others
 * older, and of the middle of its history. Requests take turns, each is of other parameters, and no cache answers.
 */

import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { dateOf } from '../../../domain/time/utc-day.ts'
import { TRADED_WALLET, tradedWalletMarket, WALLET_SWAPS } from '../../market/traded-wallet.ts'
import { expectEqual, quantile, type Sample, sharedClockMs } from '../../measure/sample.ts'
import type { Measurement } from '../../measurement.ts'
import { type RestClient, startRest } from '../../rest-client.ts'
import type { Stage } from '../../stage.ts'
import { fillStage } from './fill.ts'

const REQUESTS = 50
const WARM_UP_REQUESTS = 10
/** Swaps of others that are later than the slot that is a little older. */
const LATER_SWAPS = 20
const MODES = ['adjusted', 'strict', 'raw']
const SORTS = ['value', 'realized', 'unrealized']
const ROUTES = {
  positions: (n: number) =>
    `positions?status=all&sort=${SORTS[n % 3]}&pnl_mode=${MODES[((n / 3) | 0) % 3]}&offset=${n}`,
  tokens: (n: number) => `tokens?window=7d&pnl_mode=${MODES[n % 3]}&limit=${20 + n}`,
  performance: (n: number) => `performance?${rangeOf(n)}`,
  history: (n: number) => `history?${rangeOf(n)}`,
}
type RouteName = keyof typeof ROUTES
const NAMES = Object.keys(ROUTES) as RouteName[]
const ratio = (name: RouteName, moment: string) => `${name} as of ${moment} slot / of now, p50`
const NEWEST = 'the newest'
const OLDER = 'a little older'
const p99 = (name: RouteName) => `${name} as of the middle of 10,000 swaps, p99`

export const asOf: Measurement = {
  name: 'as-of',
  figures: NAMES.flatMap((name) => [
    { figure: ratio(name, NEWEST), unit: '', goal: '<= 1.15', digits: 2 },
    { figure: ratio(name, OLDER), unit: '', goal: '<= 1.15', digits: 2 },
    { figure: p99(name), unit: 'ms', goal: '<= 300' },
  ]),
  round: (context) =>
    context.stages.use(async (stage) => {
      await fillStage(stage, tradedWalletMarket(Date.now()))
      await stage.db.query('vacuum analyze')
      const rest = await startRest(stage, context.workerFlags)
      try {
        const samples: Sample[] = []
        const slots = await slotsOf(stage)
        for (const name of NAMES) samples.push(...(await measured(rest, name, slots)))
        return samples
      } finally {
        await rest.stop()
      }
    }),
}

/** Days from two weeks and more before to today. */
function rangeOf(n: number): string {
  const todayMs = Date.now()
  const from = dateOf(Math.floor(todayMs / DAY_MS - 20 - n) * DAY_MS)
  return `pnl_mode=${MODES[n % 3]}&from=${from}&to=${dateOf(Math.floor(todayMs / DAY_MS) * DAY_MS)}`
}

type Slots = { newest: number; older: number; middle: number }

async function measured(rest: RestClient, name: RouteName, slots: Slots): Promise<Sample[]> {
  const moments = [undefined, slots.newest, slots.older, slots.middle]
  const took = moments.map((): number[] => [])
  for (let count = 0; count < WARM_UP_REQUESTS + REQUESTS; count++) {
    for (const [index, slot] of moments.entries()) {
      const moment = slot === undefined ? '' : `&as_of_slot=${slot}`
      const fromMs = sharedClockMs()
      const path = `/v2/pnl/wallets/${TRADED_WALLET}/${ROUTES[name](count)}${moment}`
      expectEqual(`status of ${name}`, (await rest.read(path)).status, 200)
      if (count >= WARM_UP_REQUESTS) took[index]!.push(sharedClockMs() - fromMs)
    }
  }
  const [now, newest, older, middle] = took as [number[], number[], number[], number[]]
  return [
    { figure: ratio(name, NEWEST), value: quantile(newest, 0.5) / quantile(now, 0.5) },
    { figure: ratio(name, OLDER), value: quantile(older, 0.5) / quantile(now, 0.5) },
    { figure: p99(name), value: quantile(middle, 0.99) },
  ]
}

async function slotsOf({ db }: Stage): Promise<Slots> {
  const { rows } = await db.query<Slots & { swaps: number; waiting: number }>(
    `select (select max(slot) from swap) as newest,
      (select slot from swap order by slot desc offset ${LATER_SWAPS} limit 1) as older,
      percentile_disc(0.5) within group (order by slot) as middle, count(*) as swaps,
      (select count(*) from position_refold) as waiting
     from swap where wallet_id = (select id from wallet where address = $1)`,
    [TRADED_WALLET],
  )
  expectEqual('swaps of the wallet', rows[0]!.swaps, WALLET_SWAPS)
  expectEqual('positions to recompute', rows[0]!.waiting, 0)
  return rows[0]!
}
