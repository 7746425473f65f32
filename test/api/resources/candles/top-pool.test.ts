/** Since when a pool is the top pool: hand-computed, and against a model that judges each quarter from all trades. */
import test from 'ava'
import fc from 'fast-check'
import {
  LOOK_BACK_QUARTERS,
  type Rival,
  topSince,
  WINDOW_QUARTERS,
} from '../../../../api/resources/candles/top-pool.ts'

const LAST = LOOK_BACK_QUARTERS + WINDOW_QUARTERS - 1
type Trade = { quarter: number; volume: number; trades: number }

const rival = (pair_address: string, traded: readonly Trade[]): Rival => {
  const own = traded.filter(({ quarter }) => quarter >= 0)
  const older = traded.filter(({ quarter }) => quarter < 0)
  return {
    pair_address,
    quarters: own.length === 0 ? null : own.map(({ quarter }) => quarter),
    volumes: own.length === 0 ? null : own.map(({ volume }) => volume),
    trades: own.length === 0 ? null : own.map(({ trades }) => trades),
    older_quarter: older.at(-1)?.quarter ?? null,
  }
}
const at = (quarter: number, volume = 1, trades = 1): Trade => ({ quarter, volume, trades })

test('the only pool of a token is its top pool since it first traded, or for all that is looked at', (t) => {
  t.is(topSince([rival('A', [at(500)])], 'A', LAST), 500)
  t.is(topSince([rival('A', [at(-9), at(500)])], 'A', LAST), undefined)
  t.is(
    topSince([rival('A', [at(10), at(500)])], 'A', LAST),
    undefined,
    'before the first that is judged',
  )
})

test('a pool that overtakes another is the top pool from that quarter on', (t) => {
  const old = rival('A', [at(-9), at(600, 5)])
  t.is(topSince([old, rival('B', [at(650, 6)])], 'B', LAST), 650)
  const loud = rival('A', [at(-9), at(700, 5)])
  t.is(topSince([loud, rival('B', [at(720, 4)])], 'A', LAST), undefined)
})

test('a pool that is left alone is the top pool from the quarter in which the volume of the other is a day old', (t) => {
  const rivals = [rival('A', [at(600, 5)]), rival('B', [at(640, 4)])]
  t.is(topSince(rivals, 'B', LAST), 600 + WINDOW_QUARTERS)
})

test('after a day without trades it is the pool that traded last', (t) => {
  const rivals = [rival('A', [at(300, 9)]), rival('B', [at(310, 1)])]
  t.is(topSince(rivals, 'B', LAST), 300 + WINDOW_QUARTERS)
  const older = [rival('A', [at(-3)]), rival('B', [at(-2)])]
  t.is(topSince(older, 'B', LAST), undefined)
})

test('ties go by trades, then by address', (t) => {
  const rivals = [rival('B', [at(600, 5, 2)]), rival('A', [at(610, 5, 2)])]
  t.is(topSince(rivals, 'A', LAST), 610)
  t.is(topSince([rival('A', [at(600, 5, 2)]), rival('B', [at(610, 5, 3)])], 'B', LAST), 610)
})

test('a pool that is ahead by minutes alone has been the top pool since the newest quarter', (t) => {
  t.is(topSince([rival('A', [at(700, 5)]), rival('B', [at(700, 4)])], 'B', LAST), LAST)
})

/** Judged from all trades, quarter by quarter back from the newest. */
function naiveSince(pools: Record<string, readonly Trade[]>, top: string): number | undefined {
  const leaderAt = (end: number): string | undefined => {
    const reported = Object.entries(pools).map(([pair, traded]) => {
      const before = traded.filter(({ quarter }) => quarter <= end)
      const day = before.filter(({ quarter }) => quarter > end - WINDOW_QUARTERS)
      const sum = (name: 'volume' | 'trades') => day.reduce((total, each) => total + each[name], 0)
      return { pair, volume: sum('volume'), trades: sum('trades'), last: before.at(-1)?.quarter }
    })
    const live = reported.filter(({ trades }) => trades > 0)
    const byVolume = live.sort(
      (a, b) => b.volume - a.volume || b.trades - a.trades || (a.pair < b.pair ? -1 : 1),
    )
    const byTime = reported
      .filter(({ last }) => last !== undefined)
      .sort((a, b) => b.last! - a.last! || (a.pair < b.pair ? -1 : 1))
    return (byVolume[0] ?? byTime[0])?.pair
  }
  let since: number | undefined
  for (let quarter = LAST; quarter >= WINDOW_QUARTERS - 1; quarter--) {
    if (leaderAt(quarter) !== top) return since ?? LAST
    since = quarter
  }
  return undefined
}

const traded = fc
  .uniqueArray(
    fc.record({
      quarter: fc.oneof(
        fc.integer({ min: -300, max: LAST }),
        fc.integer({ min: LAST - 250, max: LAST }),
      ),
      volume: fc.integer({ min: 0, max: 4 }),
      trades: fc.integer({ min: 1, max: 2 }),
    }),
    { selector: ({ quarter }) => quarter, maxLength: 12 },
  )
  .map((trades) => trades.sort((a, b) => a.quarter - b.quarter))

test('for any trades it equals a model that judges each quarter separately', (t) => {
  fc.assert(
    fc.property(traded, traded, traded, fc.constantFrom('A', 'B', 'C'), (a, b, c, top) => {
      const pools = { A: a, B: b, C: c }
      const rivals = Object.entries(pools).map(([pair, trades]) => rival(pair, trades))
      t.is(topSince(rivals, top, LAST), naiveSince(pools, top))
    }),
    { numRuns: 60 },
  )
})
