/** The words of a page about the history that its figures fold. */
import test from 'ava'
import { historyText } from '../../../web/format/history.ts'

const NOV_3 = Date.UTC(2026, 10, 3, 23, 59)
const since = { complete_since: 350_000_000, complete_since_timestamp: NOV_3 }
const sells = (total: number, covered: number) => ({
  total_sell_count: total,
  covered_sell_count: covered,
})

test('names the sells without a known cost, and from when on the history is complete', (t) => {
  const cases: [string | undefined, Parameters<typeof historyText>][] = [
    ['12 of 40 sells have no known cost: history begins on 3 Nov 2026', [since, sells(40, 28)]],
    ['1 of 1 sell has no known cost: history begins on 3 Nov 2026', [since, sells(1, 0)]],
    ['history begins on 3 Nov 2026', [since, sells(40, 40)]],
    ['history begins on 3 Nov 2026', [since]],
    ['history begins at slot 7', [{ complete_since: 7, complete_since_timestamp: null }]],
    // All swaps were ingested as lines: nothing is known of the slots.
    ['12 of 40 sells have no known cost', [{}, sells(40, 28)]],
    [undefined, [{}, sells(40, 40)]],
    [undefined, [{}]],
    // Counts beyond a double come as bigint.
    [
      `1 of ${2n ** 60n} sells has no known cost`,
      [{}, { total_sell_count: 2n ** 60n, covered_sell_count: 2n ** 60n - 1n }],
    ],
  ]
  for (const [expected, given] of cases) t.is(historyText(...given), expected)
})
