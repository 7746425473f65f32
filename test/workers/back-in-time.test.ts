/** PostgreSQL that goes back in time under live workers, and servers that restart without a loss. */

import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { startApi } from '../../api/main.ts'
import { runCommand } from '../../deploy/local/command.ts'
import type { Stack } from '../../deploy/local/stack.ts'
import { ACTOR_NAMES } from '../../workers/actors.ts'
import { startJobs } from '../../workers/jobs/main.ts'
import { assertExact } from '../simulation/judge.ts'
import { untilRankingCaughtUp } from '../support/ranking/ranking.ts'
import { recordingLog } from '../support/recording-log.ts'
import { ownStack, temporaryFolder } from '../support/servers/servers.ts'
import { assertLedger } from '../support/workers/ledger.ts'
import { openPipeline, publishAll, until, untilCaughtUp } from '../support/workers/pipeline.ts'
import { runWorker } from '../support/workers/running-worker.ts'
import { smallMarket } from '../support/workers/small-market.ts'

const BOUND_MS = 60_000

type Begun = { stack: Stack; folder: string }

async function begin(t: ExecutionContext): Promise<Begun> {
  const home = await temporaryFolder(t)
  const stack = await ownStack(t, { home })
  return { stack, folder: join(home, 'postgres') }
}

/** All parts of an installation, in this process. */
async function startParts(t: ExecutionContext, stack: Stack) {
  const pipeline = await openPipeline(t, { servers: stack })
  const { databaseUrl, prefix } = pipeline
  const worker = await runWorker(t, pipeline, { actors: ACTOR_NAMES })
  const jobs = recordingLog()
  const running = startJobs({ databaseUrl, redisUrl: stack.redisUrl, prefix, log: jobs.log })
  t.teardown(() => running.stop())
  const answers = recordingLog()
  const api = await startApi({ databaseUrl, port: 0, log: answers.log })
  t.teardown(() => api.stop())
  const readiness = async () => {
    const response = await fetch(`${api.url}/readyz`)
    return { status: response.status, text: await response.text() }
  }
  return { pipeline, worker, jobs, answers, readiness }
}

/** Everything that lanes write, as text. */
async function written(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query(
      `select
         (select json_agg(c order by actor, lane) from
           (select actor, lane, sequence, commit_number from checkpoint) as c) as checkpoints,
         (select count(*) from swap) as swaps,
         (select count(*) from wallet) as wallets,
         (select count(*) from swap where not exists
           (select from wallet where wallet.id = swap.wallet_id)) as dangling`,
    )
    return JSON.stringify(rows[0])
  } finally {
    await client.end()
  }
}

test('every part stops before its next commit when PostgreSQL goes back in time', async (t) => {
  const { stack, folder } = await begin(t)
  const { pipeline, worker, jobs, answers, readiness } = await startParts(t, stack)
  await publishAll(pipeline, smallMarket(701, 200), { eventsMax: 8 })
  await untilRankingCaughtUp(pipeline, BOUND_MS)
  await stack.servers.postgres.stop()
  await runCommand('cp', ['-a', folder, `${folder}.old`], { env: {} })
  await stack.servers.postgres.start()
  await publishAll(pipeline, smallMarket(702, 400), { eventsMax: 8 })
  await untilRankingCaughtUp(pipeline, BOUND_MS)
  t.is((await readiness()).status, 200)

  await stack.servers.postgres.stop()
  await rm(folder, { recursive: true })
  await rename(`${folder}.old`, folder)
  await publishAll(pipeline, smallMarket(703, 200), { eventsMax: 8 })
  await stack.servers.postgres.start()
  const before = await written(pipeline.databaseUrl)
  await until('the API is not ready, and says why', BOUND_MS, async () => {
    const { status, text } = await readiness()
    return status === 503 && text.includes('the database went back in time')
  })
  for (const { lines } of [pipeline.recording, jobs, answers]) {
    await until('each part says so', BOUND_MS, async () =>
      lines.some((line) => /^error stopped every|^error refusing requests/.test(line)),
    )
  }
  await until('lanes have tried to go on', BOUND_MS, async () =>
    ACTOR_NAMES.every((actor) =>
      pipeline.recording.lines.some((line) =>
        line.startsWith(`error restarting lane from checkpoint {"actor":"${actor}"`),
      ),
    ),
  )
  t.is(await written(pipeline.databaseUrl), before)
  t.regex(before, /"dangling":"0"/)
  t.is(worker.failure(), undefined)
})

test('a restarted PostgreSQL that lost no commit is no step back', async (t) => {
  const { stack, folder } = await begin(t)
  const { pipeline, worker, readiness } = await startParts(t, stack)
  const { postgres } = stack.servers
  const timeline = async () => {
    const found = await pipeline.db.query('select timeline_id from pg_control_checkpoint()')
    return found.rows[0].timeline_id
  }
  await publishAll(pipeline, smallMarket(711, 200), { eventsMax: 8 })
  await untilCaughtUp(pipeline, BOUND_MS)
  await postgres.stop()
  await postgres.start()
  await publishAll(pipeline, smallMarket(712, 200), { eventsMax: 8 })
  postgres.kill('SIGKILL')
  await postgres.start()
  await untilCaughtUp(pipeline, BOUND_MS)
  t.is(await timeline(), 1)
  // A standby that has everything is promoted: recovery ends on a timeline of its own.
  await pipeline.db.query(`alter system set restore_command = 'false'`)
  await postgres.stop()
  await writeFile(join(folder, 'recovery.signal'), '', { mode: 0o666 })
  await postgres.start()
  await publishAll(pipeline, smallMarket(713, 200), { eventsMax: 8 })
  await untilRankingCaughtUp(pipeline, BOUND_MS)
  t.is(await timeline(), 2)
  await assertExact(t, pipeline)
  await assertLedger(t, pipeline)
  await until('the API is ready', BOUND_MS, async () => (await readiness()).status === 200)
  t.is(worker.failure(), undefined)
})
