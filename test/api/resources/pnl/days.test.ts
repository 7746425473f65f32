// The days of a wallet out of its stored hours, over all mints, against the naive model.

import test from 'ava'
import { readDays } from '../../../../api/resources/pnl/read.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { dayMsOf } from '../../../../domain/time/utc-day.ts'
import { hoursOf } from '../../../simulation/models/ledger-model.ts'
import { apiForFile, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { trader } from '../../../support/market/sample-swap.ts'
import { swapsOf as realSwapsOf, testWithText } from '../../../support/real-swaps.ts'
import { swapsOf } from './ledger-swaps.ts'

const under = apiForFile()
const MODES = ['raw', 'strict', 'adjusted'] as const
const DAY = Date.UTC(2026, 7, 1)
const SOL = 1_000_000_000n

function modelDays(swaps: readonly Swap[], mode: (typeof MODES)[number]) {
  const byDay = Map.groupBy(hoursOf(swaps), ([hour]) => hour.slice(0, 10))
  const sumOf = (hours: [string, { realized: Record<string, bigint> }][], of: string): bigint =>
    hours.reduce((sum, [, { realized }]) => sum + realized[of]!, 0n)
  return [...byDay]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, hours]) => ({
      dayMs: dayMsOf(day),
      realized: sumOf(hours, mode),
      flow: sumOf(hours, 'raw'),
    }))
}

test('days are sums over mints and hours, cut at midnight UTC', async (t) => {
  const { db } = under()
  const at = (ms: number) => ({ atMs: DAY + ms })
  const end = 86_400_000
  await insertLedger(
    db,
    swapsOf([
      { mint: 1, isBuy: true, tokens: 10, sol: 1, ...at(0) },
      { mint: 2, isBuy: true, tokens: 10, sol: 2, ...at(3_600_000) },
      { mint: 1, isBuy: false, tokens: 5, sol: 2, ...at(end - 1) },
      { mint: 2, isBuy: false, tokens: 10, sol: 1, ...at(end) },
      // Not a day between: the next trade is two days later.
      { mint: 1, isBuy: false, tokens: 5, sol: 0.25, ...at(3 * end) },
    ]),
  )
  const figures = [
    // Sold half of a cost of 1 for 2; paid 3 and got 2.
    { dayMs: DAY, realized: (3n * SOL) / 2n, flow: -SOL },
    { dayMs: DAY + end, realized: -SOL, flow: SOL },
    { dayMs: DAY + 3 * end, realized: -SOL / 4n, flow: SOL / 4n },
  ]
  for (const mode of ['strict', 'adjusted'] as const) {
    t.deepEqual(await readDays(db, trader(1), mode), figures)
  }
  const flows = figures.map((day) => ({ ...day, realized: day.flow }))
  t.deepEqual(await readDays(db, trader(1), 'raw'), flows)
  t.deepEqual(await readDays(db, trader(77), 'raw'), [])
})

testWithText(
  'venue_1_2025-09.ndjson',
  'the wallets of real swaps have the days of the naive model',
  async (t, text) => {
    const { db } = await apiUnderTest(t)
    const swaps = realSwapsOf(text)
    await insertLedger(db, swaps)
    for (const [user, own] of Map.groupBy(swaps, (swap) => swap.user)) {
      for (const mode of MODES) {
        t.deepEqual(await readDays(db, user, mode), modelDays(own, mode), `${user} ${mode}`)
      }
    }
  },
)
