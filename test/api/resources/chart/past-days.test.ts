/**
 * Stored days of a chart as of a slot: used where they are what the swaps up to the slot make them, never otherwise. A stored day
 * whose value a test replaced shows which days were used.
 */
import test, { type ExecutionContext } from 'ava'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import { type ApiOptions, startApi } from '../../../../api/main.ts'
import type { Event } from '../../../../domain/events/event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { dateOf } from '../../../../domain/time/utc-day.ts'
import { backfillChart } from '../../../../workers/jobs/chart-backfill.ts'
import { PATIENT, SILENT } from '../../../support/api/api-under-test.ts'
import { poolOf, swapEvent } from '../../../support/events/sample-event.ts'
import { mint, pair, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { openJobBench } from '../../../support/workers/jobs.ts'
import { untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  until,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const DAY_MS = 86_400_000
const START_MS = Date.UTC(2026, 6, 1)
const DAYS = 6
const NOW_MS = START_MS + (DAYS + 1) * DAY_MS
const BOUND_MS = 60_000
const WALLET = trader(1)
/** No value of a day. */
const MARK_SOL = 123_456

const slotOf = (day: number): number => 1_000 + 1_000 * day
let count = 0

/** A swap at noon; one whole token, at as many SOL as days have begun. */
const swapOn = (day: number, changes: Partial<Swap> = {}): Event =>
  swapEvent({
    ...{
      slot: slotOf(day),
      timestamp: START_MS + (day + 0.5) * DAY_MS,
      signature: signatureOf(count++),
    },
    ...{ user: WALLET, tokenAddress: mint(0), pairAddress: pair(0), quoteDecimals: 6 },
    ...{ tokenAmount: 1_000_000, solAmount: (day + 1) * 1_000_000_000 },
    ...changes,
  })

const other = { user: trader(2), tokenAddress: mint(1), pairAddress: pair(1) }

type Installation = Pipeline & {
  feed(events: readonly Event[]): Promise<void>
  /** Days of the chart as of a slot whose stored value was used, numbered from 0. */
  usedAsOf(slot: number): Promise<number[]>
  chartAsOf(slot: number): Promise<Record<string, number>>
}

/** The wallet buys one token a day; all days but the last are stored. */
async function openInstallation(
  t: ExecutionContext,
  options: Partial<ApiOptions> = {},
): Promise<Installation> {
  // One lane: with several, one without new messages notes some seconds later that none are left.
  const pipeline = await openPipeline(t, { laneCount: 1 })
  const { db, databaseUrl } = pipeline
  await runWorker(t, pipeline, { actors: ['pool', 'ledger'] })
  const given = { ...PATIENT, log: SILENT, now: () => NOW_MS, ...options }
  const api = await startApi({ databaseUrl, port: 0, ...given })
  t.teardown(() => api.stop())
  const { key } = await createKey(db, {
    ...{ tier: 'enterprise', environment: 'test', account: 'test', by: 'test' },
  })
  const feed = async (events: readonly Event[]) => {
    await publishAll(pipeline, events)
    await untilLedgerCaughtUp(pipeline, BOUND_MS)
  }
  const chartAsOf = async (slot: number) => {
    const path = `/wallets/${WALLET}/chart?window=all&as_of_slot=${slot}`
    let [status, text] = [0, '']
    // Refused until the lanes have noted that they applied all.
    await until('the slot is applied', BOUND_MS, async () => {
      const response = await fetch(api.url + path, { headers: { 'X-API-Key': key } })
      status = response.status
      text = await response.text()
      return status !== 503
    })
    t.is(status, 200, text)
    const { series, today } = JSON.parse(text) as {
      series: { day: string; value_sol: number }[]
      today: { day: string; value_sol: number }
    }
    return Object.fromEntries([...series, today].map((each) => [each.day, each.value_sol]))
  }
  const usedAsOf = async (slot: number) => {
    await db.query('update chart_day set folded_sol = $1', [MARK_SOL])
    const chart = await chartAsOf(slot)
    return Array.from({ length: DAYS }, (_, day) => day).filter(
      (day) => chart[dateOf(START_MS + day * DAY_MS)] === MARK_SOL,
    )
  }
  await feed(Array.from({ length: DAYS }, (_, day) => swapOn(day)))
  return { ...pipeline, feed, usedAsOf, chartAsOf }
}

const store = ({ db }: Pipeline): Promise<void> => backfillChart({ wallet: WALLET }, { db })

const changesOf = async ({ db }: Pipeline): Promise<(number | null)[]> => {
  const { rows } = await db.query<{ change_count: number | null }>(
    'select change_count from chart_day order by day_ms',
  )
  return rows.map((row) => row.change_count)
}

test('uses the stored days up to the first swap after the slot', async (t) => {
  const own = await openInstallation(t)
  await store(own)
  t.deepEqual(await own.usedAsOf(slotOf(5)), [0, 1, 2, 3, 4])
  t.deepEqual(await own.usedAsOf(slotOf(2)), [0, 1, 2])
  t.deepEqual(await own.usedAsOf(slotOf(3) - 1), [0, 1, 2])
  t.deepEqual(await own.usedAsOf(slotOf(0) - 1), [])
})

test('computes the days from a late swap on, until they are stored again', async (t) => {
  const own = await openInstallation(t)
  await store(own)
  const { rows: served } = await own.db.query('select day_ms, value_sol from chart_day order by 1')
  // Between the others by its slot and its time.
  await own.feed([swapOn(3, { ...other, slot: slotOf(3) + 1 })])
  t.deepEqual(await own.usedAsOf(slotOf(5)), [0, 1, 2])
  await own.feed([swapOn(1, { slot: slotOf(1) + 1 })])
  t.deepEqual(await own.usedAsOf(slotOf(5)), [0])
  const computed = await own.chartAsOf(slotOf(5))
  t.is(computed[dateOf(START_MS + DAY_MS)], 3 * 2)
  await store(own)
  const { rows: still } = await own.db.query('select day_ms, value_sol from chart_day order by 1')
  t.deepEqual(still, served, 'what is served as a closed day stays')
  t.deepEqual(await own.chartAsOf(slotOf(5)), { ...computed, [dateOf(START_MS)]: MARK_SOL })
  t.deepEqual(await own.usedAsOf(slotOf(5)), [0, 1, 2, 3, 4])
})

test('computes the days from a swap after the slot on that has an earlier time', async (t) => {
  const own = await openInstallation(t)
  await own.feed([swapOn(2, { slot: slotOf(5) + 1 })])
  await store(own)
  t.deepEqual(await own.usedAsOf(slotOf(5)), [0, 1])
  t.deepEqual(await own.usedAsOf(slotOf(5) + 1), [0, 1, 2, 3, 4])
})

test('computes the days from a retracted swap on', async (t) => {
  const own = await openInstallation(t)
  const blockhash = poolOf(7)
  await own.feed([swapOn(3, { ...other, slot: slotOf(3) + 1, blockhash })])
  await store(own)
  t.deepEqual(await own.usedAsOf(slotOf(5)), [0, 1, 2, 3, 4])
  await own.feed([{ kind: 'retract', retraction: { slot: slotOf(3) + 1, blockhash } }])
  await until('the block is taken out', BOUND_MS, async () => {
    const { rowCount } = await own.db.query('select from retraction where is_applied')
    return rowCount === 1
  })
  await untilLedgerCaughtUp(own, BOUND_MS)
  // Another one of that day makes their number the same as before.
  await own.feed([swapOn(3, { ...other, slot: slotOf(3) + 2 })])
  t.deepEqual(await own.usedAsOf(slotOf(5)), [0, 1, 2])
})

test('computes all days where decimals changed or differ', async (t) => {
  const own = await openInstallation(t)
  await store(own)
  t.deepEqual(await own.usedAsOf(slotOf(5)), [0, 1, 2, 3, 4])
  // The newest swap states others: quantities of all days are by these now, and by those before as of an earlier slot.
  await own.feed([swapOn(5, { slot: slotOf(5) + 1, quoteDecimals: 5 })])
  t.deepEqual(await own.usedAsOf(slotOf(5) + 1), [])
  t.deepEqual(await own.usedAsOf(slotOf(5)), [])
  await store(own)
  t.deepEqual(await own.usedAsOf(slotOf(5) + 1), [0, 1, 2, 3, 4])
  t.deepEqual(await own.usedAsOf(slotOf(5)), [])
  await own.feed([swapOn(5, { slot: slotOf(5) + 2, pairAddress: pair(2), quoteDecimals: 7 })])
  t.deepEqual(await own.usedAsOf(slotOf(5) + 2), [])
  t.deepEqual(await own.usedAsOf(slotOf(5) + 1), [])
  // A later swap decides which decimals count: no value of now is one of later.
  const before = await changesOf(own)
  await store(own)
  t.deepEqual(await changesOf(own), before)
})

test('computes days that the version before stored', async (t) => {
  const own = await openInstallation(t)
  await own.db.query(
    `insert into chart_day (wallet_id, day_ms, value_sol)
     select wallet.id, $1::bigint + day * $2::bigint, $3 from wallet, generate_series(0, 4) as day where address = $4`,
    [START_MS, DAY_MS, MARK_SOL, WALLET],
  )
  t.deepEqual(await own.usedAsOf(slotOf(5)), [])
  await store(own)
  t.deepEqual(await own.usedAsOf(slotOf(5)), [0, 1, 2, 3, 4])
})

test('an answer as of a slot requests the days that it had to compute', async (t) => {
  const bench = openJobBench(t)
  let nowMs = NOW_MS
  const own = await openInstallation(t, { jobs: bench.queue(), now: () => nowMs })
  bench.work({ databaseUrl: own.databaseUrl })
  const untilStored = () =>
    until('days are stored', BOUND_MS, async () => (await changesOf(own)).length === DAYS - 1)
  await own.chartAsOf(slotOf(5))
  await untilStored()
  const before = await changesOf(own)
  await own.feed([swapOn(1, { slot: slotOf(1) + 1 })])
  nowMs += 60_000
  await own.chartAsOf(slotOf(5))
  await until('days are stored again', BOUND_MS, async () => {
    const after = await changesOf(own)
    return after.every((changes, day) => changes === Number(before[day]) + Number(day >= 1))
  })
  t.deepEqual(await own.usedAsOf(slotOf(5)), [0, 1, 2, 3, 4])
})
