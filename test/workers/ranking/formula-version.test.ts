/** Stored rankings of another formula version, with real servers: a worker replaces them when it starts. */
import test from 'ava'
import { readInstant } from '../../../api/feed/latest/read.ts'
import { readMovers } from '../../../api/resources/movers/read.ts'
import { readTrending } from '../../../api/resources/trending/read.ts'
import { FORMULA_VERSION } from '../../../domain/ranking.ts'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { RankingIndex } from '../../../workers/ranking/ranked/ranking-index.ts'
import { StoredSnapshots } from '../../../workers/ranking/snapshot/snapshot-store.ts'
import { untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { readPages } from '../../support/ranking/ranking-pages.ts'
import { writePages } from '../../support/ranking/refresh.ts'
import { untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import {
  feedEnd,
  openPipeline,
  publishAll,
  until,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const FROM_MS = Date.parse('2026-07-20T12:00:00Z')
const BOUND_MS = 60_000
const ALL = ['pool', 'ledger', 'ranking']
const OTHER_VERSION = FORMULA_VERSION + 1

const readRefreshed = query<{ feed_sequence: number | null }>('status/read_refreshed')

/** The rankings as readers return them. */
async function served(db: Db) {
  const slice = { sector: undefined, limit: 200, offset: 0 }
  const trending = await readTrending(db, { window: '24h', hasRugged: true, ...slice })
  const movers = await readMovers(db, { timeframe: '24h', protocol: undefined, limit: 500 })
  const [refreshed] = await readRefreshed(db, [FORMULA_VERSION])
  const { refreshed_sequence: readableTo } = await readInstant(db)
  return { trending, movers, refreshedTo: refreshed?.feed_sequence, readableTo }
}

/** Makes the stored rankings those of another version: other scores, of fewer tokens, in another order. */
async function storeOtherVersion(db: Db): Promise<void> {
  await db.query('update ranking_roll set formula_version = $1', [OTHER_VERSION])
  await db.query(
    `update trending_page set total = total + 1,
       token_ids = array(select id from unnest(token_ids[2:]) as id order by id)`,
  )
  await db.query('update mover_page set token_ids = token_ids[2:]')
  for (const table of ['trending_token', 'mover_token']) {
    await db.query(`update ${table} set figures = array_fill(7.0, array[cardinality(figures)])`)
  }
  await db.query(`insert into trending_page values (7, true, 'of another version', 1, array[1])`)
}

test.serial('a worker replaces rankings of another formula version when it starts', async (t) => {
  const pipeline = await openPipeline(t)
  const { db } = pipeline
  const worker = await runWorker(t, pipeline, { actors: ALL })
  const events = [...simulate({ seed: 504, swaps: 400, fromMs: FROM_MS, swapsPerSlot: 6 })]
  await publishAll(pipeline, events, { eventsMax: 50 })
  await untilCaughtUp(pipeline)
  await untilLedgerCaughtUp(pipeline)
  await untilRankingCaughtUp(pipeline)
  await worker.stop()
  // Written from tables at rest: the worker may have stopped before its last one.
  await writePages(
    db,
    new StoredSnapshots(),
    (await new RankingIndex(db, async () => []).refresh())!,
  )
  const [pages, before] = [await readPages(db), await served(db)]
  t.true(before.trending.tokens.length > 3)
  t.true(before.movers.gainers.length > 0)

  await storeOtherVersion(db)
  t.notDeepEqual(await readPages(db), pages)
  t.deepEqual(await served(db), {
    trending: { total: 0, tokens: [] },
    movers: { gainers: [], losers: [] },
    refreshedTo: null,
    readableTo: null,
  })

  await runWorker(t, pipeline, { actors: ['ranking'] })
  const end = await feedEnd(pipeline)
  await until('rankings of this version', BOUND_MS, async () => {
    return (await served(db)).refreshedTo === end
  })
  t.deepEqual(await readPages(db), pages)
  t.deepEqual(await served(db), { ...before, refreshedTo: end, readableTo: end })
})

test.serial(
  'a running worker replaces rankings that became those of another version',
  async (t) => {
    const pipeline = await openPipeline(t)
    const { db } = pipeline
    await runWorker(t, pipeline, { actors: ALL })
    const events = [...simulate({ seed: 505, swaps: 200, fromMs: FROM_MS, swapsPerSlot: 6 })]
    await publishAll(pipeline, events, { eventsMax: 50 })
    await until('rankings', BOUND_MS, async () => (await served(db)).refreshedTo !== null)
    await storeOtherVersion(db)
    await until('rankings of this version', BOUND_MS, async () => {
      const { trending, refreshedTo } = await served(db)
      return refreshedTo !== null && trending.tokens.length > 3
    })
    const { rows } = await db.query('select from trending_page where window_minutes = 7')
    t.is(rows.length, 0)
  },
)
