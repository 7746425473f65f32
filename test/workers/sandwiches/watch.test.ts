/** Commits of pool lanes wake the job that follows them, once for all that come before it has looked. */
import test, { type ExecutionContext } from 'ava'
import { startListening } from '../../../sql/listen.ts'
import { query } from '../../../sql/query.ts'
import { watchSandwiches } from '../../../workers/sandwiches/watch.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { until } from '../../support/workers/pipeline.ts'

const BOUND_MS = 60_000

const COMMIT = `insert into checkpoint (actor, lane) values ('pool', 0)
  on conflict (actor, lane) do update set
    commit_number = checkpoint.commit_number + 1, first_slots = '{5}', last_slots = '{6}'`

async function database(t: ExecutionContext) {
  const { databaseUrl, db, drop } = await testDatabase()
  t.teardown(drop)
  await db.query(COMMIT)
  const commit = () => db.query(COMMIT)
  const spend = () => db.query('delete from sandwich_due')
  return { databaseUrl, db, commit, spend }
}

test('a commit notifies where no slots wait to be followed', async (t) => {
  const { databaseUrl, db, commit, spend } = await database(t)
  const received: string[] = []
  let starts = 0
  const listening = startListening({
    databaseUrl,
    listen: query('sandwiches/listen_due'),
    applicationName: 'test',
    onStart: () => {
      starts += 1
    },
    onMessage: (text) => received.push(text),
    onLoss: () => {},
  })
  t.teardown(() => listening.end())
  await until('it listens', BOUND_MS, () => starts === 1)
  for (let count = 0; count < 3; count++) await commit()
  await spend()
  await commit()
  await db.query(`notify sandwich_due, 'end'`)
  await until('the last has arrived', BOUND_MS, () => received.at(-1) === 'end')
  t.deepEqual(received, ['', '', 'end'])
})

/** Watches with the results of its runs given; the number of runs until now. */
function watched(t: ExecutionContext, databaseUrl: string, results: (boolean | Error)[]) {
  const recording = recordingLog()
  const runs = { count: 0 }
  const watching = watchSandwiches({
    databaseUrl,
    log: recording.log,
    apartMs: 1,
    async follow() {
      const result = results[runs.count] ?? false
      runs.count += 1
      if (result instanceof Error) throw result
      return result
    },
  })
  t.teardown(() => watching.stop())
  return { runs, recording }
}

const untilRuns = (runs: { count: number }, count: number): Promise<void> =>
  until(`${count} runs`, BOUND_MS, () => runs.count === count)

test('follows when it begins, as long as there was something, after an error, and when notified', async (t) => {
  const { databaseUrl, commit } = await database(t)
  const { runs, recording } = watched(t, databaseUrl, [true, true, new Error('of a test'), false])
  await untilRuns(runs, 4)
  await commit()
  await untilRuns(runs, 5)
  const failures = recording.lines.filter((line) => line.includes('failed to follow sandwiches'))
  t.is(failures.length, 1)
})

test('begins again when its connection was lost', async (t) => {
  const { databaseUrl, db, commit } = await database(t)
  const { runs } = watched(t, databaseUrl, [])
  await untilRuns(runs, 1)
  await db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and starts_with(application_name, 'swaptide jobs')`,
  )
  await untilRuns(runs, 2)
  await commit()
  await untilRuns(runs, 3)
  t.is(runs.count, 3)
})
