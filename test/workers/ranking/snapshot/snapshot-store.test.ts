/** Snapshots written refresh after refresh: the tables equal the last one, for each token of each snapshot. */
import test, { type ExecutionContext } from 'ava'
import { lamportsToSol } from '../../../../domain/amount.ts'
import {
  MOVER_TIMEFRAMES,
  WINDOW_MINUTES,
  WINDOW_NAMES,
} from '../../../../domain/time/trade-window.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { moverFigures, WIDTHS } from '../../../../workers/ranking/series/window-metrics.ts'
import { StoredSnapshots } from '../../../../workers/ranking/snapshot/snapshot-store.ts'
import { type RankedToken, Rankings } from '../../../../workers/ranking/snapshot/snapshots.ts'
import { changeTokens } from '../../../support/ranking/changing-tokens.ts'
import { readPages } from '../../../support/ranking/ranking-pages.ts'
import { writePages } from '../../../support/ranking/refresh.ts'
import { testDatabase } from '../../../support/servers/database.ts'

const TOKENS = 900
const ROUNDS = 14
const ORPHANS_MAX = 100

/** The windows that rows name. */
const TREND_MINUTES = WINDOW_NAMES.map((name) => WINDOW_MINUTES[name])
const MOVER_MINUTES = MOVER_TIMEFRAMES.map((name) => WINDOW_MINUTES[name])

type RankedPages = ReturnType<Rankings['lists']>

function shown({ trending, movers }: RankedPages): Awaited<ReturnType<typeof readPages>> {
  const metricsOf = (token: RankedToken, minutes: number) => token.figures[WIDTHS.indexOf(minutes)]!
  return {
    trending: trending
      .map(({ minutes, hasRugged, sector, total, tokens }) => ({
        window_minutes: minutes,
        has_rugged: hasRugged,
        sector,
        total,
        tokens: tokens.map((token) => {
          const { score, volume, parts } = metricsOf(token, minutes)
          const changes = token.figures.map((each) => each?.changePct ?? null)
          const all = [score, lamportsToSol(volume), ...parts]
          return { mint: token.mint, windows: TREND_MINUTES, changes, figures: all }
        }),
      }))
      .sort(
        (a, b) =>
          a.window_minutes - b.window_minutes ||
          Number(a.has_rugged) - Number(b.has_rugged) ||
          (a.sector < b.sector ? -1 : 1),
      ),
    movers: movers
      .map(({ minutes, dex, isGainer, tokens }) => ({
        window_minutes: minutes,
        dex,
        is_gainer: isGainer,
        tokens: tokens.map((token) => {
          const figures = [...moverFigures(metricsOf(token, minutes), dex)!]
          return { mint: token.mint, windows: MOVER_MINUTES, figures }
        }),
      }))
      .sort(
        (a, b) =>
          a.window_minutes - b.window_minutes ||
          a.dex - b.dex ||
          Number(a.is_gainer) - Number(b.is_gainer),
      ) as Awaited<ReturnType<typeof readPages>>['movers'],
  }
}

/** A running market: `refresh` writes its present rankings, and returns them. */
async function begun(t: ExecutionContext, seed: number) {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const prng = new Prng([88, seed])
  const rankings = new Rankings()
  const tokens = new Map<number, RankedToken>()
  const change = (round: number) => changeTokens(prng, rankings, tokens, round, TOKENS)
  const refresh = async (written: StoredSnapshots): Promise<RankedPages> => {
    const pages = rankings.lists(() => tokens.values())
    await writePages(db, written, { newestMs: 1, ...pages, changeIds: [] })
    return pages
  }
  change(0)
  return { db, rankings, tokens, change, refresh }
}

test('the tables equal the last refresh, and store few tokens outside of all snapshots', async (t) => {
  const { db, change, refresh } = await begun(t, 2)
  let written = new StoredSnapshots(ORPHANS_MAX)
  let strays = 0
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) change(round)
    // Another worker takes over now and then: it finds the tables of the one before.
    if (round % 7 === 6) written = new StoredSnapshots(ORPHANS_MAX)
    const pages = await refresh(written)
    t.deepEqual(await readPages(db), shown(pages), `round ${round}`)
    const ranked = {
      trending_token: new Set(pages.trending.flatMap((page) => page.tokens)).size,
      mover_token: new Set(
        pages.movers.flatMap((page) => page.tokens.map(({ mint }) => `${mint} ${page.dex}`)),
      ).size,
    }
    for (const [table, count] of Object.entries(ranked)) {
      const { rows } = await db.query(`select count(*)::integer as stored from ${table}`)
      strays = Math.max(strays, rows[0].stored - count)
      t.true(rows[0].stored <= 2 * count + ORPHANS_MAX, `${rows[0].stored} ${table} for ${count}`)
    }
  }
  t.true(strays > 0)
})

test('a refresh without changes writes no token and no snapshot', async (t) => {
  const { db, rankings, tokens, refresh } = await begun(t, 3)
  const written = new StoredSnapshots()
  const versions = async (): Promise<unknown> => {
    const of = (table: string) => `(select array_agg(xmin::text order by ctid) from ${table})`
    const { rows } = await db.query(
      `select ${['trending_page', 'mover_page', 'trending_token', 'mover_token'].map(of).join()}`,
    )
    return rows
  }
  const [token] = [...tokens.values()].filter(({ figures }) => figures.every((each) => each))
  await refresh(written)
  const before = await versions()
  await refresh(written)
  t.deepEqual(await versions(), before)
  rankings.put(
    token!,
    token!.sector,
    token!.figures.map((each) => ({ ...each!, score: 1_000 })),
  )
  await refresh(written)
  t.notDeepEqual(await versions(), before)
})
