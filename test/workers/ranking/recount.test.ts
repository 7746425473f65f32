// A recount alongside commits that create chunks of the `swap` hypertable.
import test from 'ava'
import { type Connection, connect } from '../../../sql/db.ts'
import { beginRecount, recountPage } from '../../../workers/ranking/recount.ts'
import { untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { openPipeline, publishAll, until } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

const BOUND_MS = 60_000
/** More slots than a chunk of `swap` holds. */
const SLOTS_BEYOND = 1_000_000

/**
 *   recount   lists the chunks, waits for the first ............ counts, notes the commits that it counted
 *   commit                     creates a chunk, stores a swap in it
 */
test('a chunk that is created while a recount is planned is counted, or its commit is not noted', async (t) => {
  const pipeline = await openPipeline(t)
  const { db, databaseUrl } = pipeline
  const worker = await runWorker(t, pipeline, { actors: ['pool', 'ranking'] })
  await publishAll(pipeline, smallMarket(621, 60), { eventsMax: 20 })
  await untilRankingCaughtUp(pipeline)
  await worker.stop()
  const sessions = connect(databaseUrl, { max: 3 })
  t.teardown(() => sessions.end())
  const [blocking, recounting, committing] = [
    await sessions.connect(),
    await sessions.connect(),
    await sessions.connect(),
  ]
  const count = async (sql: string): Promise<number> => Number((await db.query(sql)).rows[0].count)
  const swaps = await count('select count(*) from swap')
  const commitsOf = 'select sum(commit_number) as count'
  const commits = await count(`${commitsOf} from checkpoint where actor = 'pool'`)
  await committing.query('create temporary table late as select * from swap limit 1')
  const [chunk] = (await db.query("select show_chunks('swap')::text as name")).rows
  const isWaitingIn = async (session: Connection): Promise<() => Promise<boolean>> => {
    const { rows } = await session.query('select pg_backend_pid() as pid')
    const waiting = `select count(*) from pg_stat_activity
      where pid = ${rows[0].pid} and wait_event_type = 'Lock'`
    return async () => (await count(waiting)) > 0
  }
  const isRecountWaiting = await isWaitingIn(recounting)
  const isCommitWaiting = await isWaitingIn(committing)

  await blocking.query('begin')
  await blocking.query(`lock table ${chunk.name} in access exclusive mode`)
  await beginRecount(db)
  await recounting.query('begin')
  // From the first token on, without the market, which reads the same chunks before.
  const recounted = recountPage(recounting, 1)
  await until('the recount waits', BOUND_MS, isRecountWaiting)
  let isCommitted = false
  const committed = committing
    .query(
      `begin;
       update late set slot = slot + ${SLOTS_BEYOND};
       insert into swap select * from late;
       update checkpoint set commit_number = commit_number + 1 where actor = 'pool';
       commit`,
    )
    .then(() => {
      isCommitted = true
    })
  await until(
    'the commit ends or waits',
    BOUND_MS,
    async () => isCommitted || (await isCommitWaiting()),
  )
  await blocking.query('commit')
  const counted = await recounted
  await recounting.query('commit')
  await committed
  for (const session of [blocking, recounting, committing]) session.release()

  t.is(await count('select count(*) from swap'), swaps + 1)
  const noted = await count(`${commitsOf} from ranking_cover where from_token_id = 1`)
  t.is(counted, noted > commits ? swaps + 1 : swaps)
})
