/**
 * Rankings as another version of the program stored them: under other windows, or by other formulas. Readers find a
 * window's figures by its minutes, never at a fixed place, and find nothing where the formulas are others.
 */
import test, { type ExecutionContext } from 'ava'
import { readMovers } from '../../../../api/resources/movers/read.ts'
import { readTrending, type TrendingFound } from '../../../../api/resources/trending/read.ts'
import { FORMULA_VERSION, TREND_WINDOWS, type TrendWindow } from '../../../../domain/ranking.ts'
import { MOVER_TIMEFRAMES, WINDOW_MINUTES } from '../../../../domain/time/trade-window.ts'
import type { Db } from '../../../../sql/db.ts'
import { testDatabase } from '../../../support/servers/database.ts'
import { rankedMarket } from './market.ts'

/** Windows of the other version, in its order: without 15 minutes, with 30 and 720. */
const TREND_MINUTES = [1, 5, 30, 60, 240, 360, 720, 1_440]
const MOVER_MINUTES = [1_440, 5, 30, 60, 240]
const MISSING = 15
/** In place of the figures of windows that this version does not know. */
const FOREIGN = 777
const FURTHER: readonly TrendWindow[] = ['24h', '15m', '1m']

async function ranked(t: ExecutionContext): Promise<Db> {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await rankedMarket(db)
  return db
}

async function trendsOf(db: Db): Promise<Map<number, TrendingFound>> {
  const found = new Map<number, TrendingFound>()
  for (const window of TREND_WINDOWS) {
    const slice = { sector: undefined, limit: 200, offset: 0 }
    const wanted = { window, hasRugged: true, ...slice, windows: FURTHER }
    found.set(WINDOW_MINUTES[window], await readTrending(db, wanted))
  }
  return found
}

async function moversOf(db: Db): Promise<Map<string, Awaited<ReturnType<typeof readMovers>>>> {
  const found = new Map<string, Awaited<ReturnType<typeof readMovers>>>()
  for (const timeframe of MOVER_TIMEFRAMES) {
    for (const protocol of [undefined, 3, 10] as const) {
      const movers = await readMovers(db, { timeframe, protocol, limit: 500 })
      found.set(`${WINDOW_MINUTES[timeframe]} ${protocol}`, movers)
    }
  }
  return found
}

/** Arrays by window, of the windows that a row names, as a row of other windows has them. */
function arranged(
  values: readonly (number | null)[],
  before: readonly number[],
  after: readonly number[],
): (number | null)[] {
  const count = values.length / before.length
  return after.flatMap((minutes) => {
    const from = before.indexOf(minutes) * count
    return from < 0 ? new Array<number>(count).fill(FOREIGN) : values.slice(from, from + count)
  })
}

type StoredRow = {
  ctid: string
  window_minutes: number[]
  figures: (number | null)[]
  changes?: (number | null)[]
}

/** Stores all rows of a table as a version with these windows writes them. */
async function rearrange(db: Db, table: string, after: readonly number[]): Promise<void> {
  const { rows } = await db.query<StoredRow>(`select ctid::text, * from ${table}`)
  for (const { ctid, window_minutes: before, figures, changes } of rows) {
    const values = [ctid, after, arranged(figures, before, after)]
    if (changes !== undefined) values.push(arranged(changes, before, after))
    await db.query(
      `update ${table} set window_minutes = $2, figures = $3${changes ? ', changes = $4' : ''} where ctid = $1`,
      values,
    )
  }
}

test('figures that were stored under other windows are read by their minutes', async (t) => {
  const db = await ranked(t)
  const [trends, movers] = [await trendsOf(db), await moversOf(db)]
  await rearrange(db, 'trending_token', TREND_MINUTES)
  await rearrange(db, 'mover_token', MOVER_MINUTES)

  let changes = 0
  for (const [minutes, { total, tokens }] of await trendsOf(db)) {
    const before = trends.get(minutes)!
    t.true(before.tokens.length > 0)
    // The page of a window that its tokens' rows do not name shows none of them.
    const expected = minutes === MISSING ? [] : before.tokens
    const index = FURTHER.indexOf('15m')
    changes += expected.filter(({ entry }) => entry.otherChanges[index] !== null).length
    t.deepEqual(
      { total, tokens },
      {
        total: before.total,
        tokens: expected.map(({ entry, price }) => ({
          entry: { ...entry, otherChanges: entry.otherChanges.with(index, null) },
          price,
        })),
      },
      `${minutes} minutes`,
    )
  }
  t.true(changes > 0, 'the window that is missing had changes')

  for (const [key, found] of await moversOf(db)) {
    const before = movers.get(key)!
    const isMissing = key.startsWith(`${MISSING} `)
    t.deepEqual(found, isMissing ? { gainers: [], losers: [] } : before, key)
  }
  const found = [...movers.values()].flatMap(({ gainers, losers }) => [...gainers, ...losers])
  t.true(found.length > 20)
})

test('rankings of another formula version are not served', async (t) => {
  const db = await ranked(t)
  t.true([...(await trendsOf(db)).values()].some(({ total }) => total > 0))
  await db.query('update ranking_roll set formula_version = $1', [FORMULA_VERSION + 1])
  for (const [minutes, found] of await trendsOf(db)) {
    t.deepEqual(found, { total: 0, tokens: [] }, `${minutes} minutes`)
  }
  for (const [key, found] of await moversOf(db)) {
    t.deepEqual(found, { gainers: [], losers: [] }, key)
  }
})
