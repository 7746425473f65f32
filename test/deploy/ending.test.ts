/**
 * Commands that are signalled while they wait, each for an event that does not happen: those without work to drain end
 * at once, as the signal would end any program.
 */

import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { printEvent } from '../../streams/ingest/ndjson-writer.ts'
import { StreamFull } from '../../streams/nats/jetstream.ts'
import { swapSubject } from '../../streams/nats/subject.ts'
import { ACTOR_NAMES } from '../../workers/actors.ts'
import { finished, settingsOf, startCommand } from '../support/programs/commands.ts'
import { temporaryFolder } from '../support/servers/servers.ts'
import {
  LANE_COUNT,
  openPipeline,
  type Pipeline,
  publishAll,
  until,
  untilCaughtUp,
} from '../support/workers/pipeline.ts'
import { runWorker } from '../support/workers/running-worker.ts'
import { smallMarket } from '../support/workers/small-market.ts'

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'
type Started = { child: ChildProcess; said: () => string; ended: Promise<number | null> }

function start(t: ExecutionContext, pipeline: Pipeline, argv: readonly string[]): Started {
  const child = startCommand(argv, settingsOf(pipeline))
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  child.stderr?.on('data', (piece) => {
    said += piece
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { child, said: () => said, ended }
}

/** The table is locked until the returned function is called, by the end of which no session waits for it. */
async function lockTable(pipeline: Pipeline, table: string): Promise<() => Promise<void>> {
  const connection = await pipeline.db.connect()
  await connection.query('begin')
  await connection.query(`lock table ${table} in access exclusive mode`)
  return async () => {
    await connection.query('rollback')
    connection.release()
    await until('no session waits', 60_000, async () => !(await hasWaiting(pipeline)))
  }
}

async function hasWaiting({ db }: Pipeline): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from pg_stat_activity where datname = current_database()
     and application_name like 'swaptide%' and wait_event_type = 'Lock'`,
  )
  return rowCount !== 0
}

const untilItWaits = (pipeline: Pipeline, argv: readonly string[]): Promise<void> =>
  until(`${argv.join(' ')} waits for a table`, 60_000, () => hasWaiting(pipeline))

async function assertEnds(t: ExecutionContext, { child, said, ended }: Started, signal: Signal) {
  child.kill(signal)
  t.is(await ended, 128 + constants.signals[signal], said())
  t.is(said(), '')
}

test('commands that do not drain are ended by a signal', async (t) => {
  const pipeline = await openPipeline(t)
  const cases: [string[], string, Signal][] = [
    [['keys', 'list'], 'api_key', 'SIGINT'],
    [['migrate'], 'migration', 'SIGTERM'],
    [['verify'], 'swap', 'SIGHUP'],
    [['status', '--wait'], 'dead_letter', 'SIGTERM'],
    [['dead', 'list'], 'dead_letter', 'SIGINT'],
    [['rebuild', 'candles'], 'pool', 'SIGTERM'],
  ]
  for (const [argv, table, signal] of cases) {
    const unlock = await lockTable(pipeline, table)
    const started = start(t, pipeline, argv)
    await untilItWaits(pipeline, argv)
    await assertEnds(t, started, signal)
    await unlock()
  }
})

test('a dead letter that waits for room in a full stream can be left alone', async (t) => {
  const pipeline = await openPipeline(t, { swapMaxBytes: 64 * 1024 })
  const [event] = smallMarket(7, 10)
  if (event === undefined) throw new Error('the market is empty')
  const subject = swapSubject(pipeline.prefix, event, pipeline.laneCount)
  const fill = async (): Promise<void> => {
    for (;;) await pipeline.jetStream.publish(subject, new Uint8Array(1_000))
  }
  await t.throwsAsync(fill(), { instanceOf: StreamFull })
  const { rows } = await pipeline.db.query<{ id: number }>(
    `insert into dead_letter (actor, lane, stream_epoch, sequence, part, subject, reason, payload)
     values ('pool', 0, 'e', 1, 0, $1, 'none', '') returning id::int`,
    [subject],
  )
  const file = join(await temporaryFolder(t), 'event.ndjson')
  await writeFile(file, `${printEvent(event)}\n`)
  const started = start(t, pipeline, ['dead', 'retry', String(rows[0]?.id), '--event', file])
  await until('it says that SWAP is full', 60_000, () =>
    started.said().includes('full stream SWAP'),
  )
  started.child.kill('SIGINT')
  t.is(await started.ended, 130)
  const { rowCount } = await pipeline.db.query('select from dead_letter where retried_at is null')
  t.is(rowCount, 1)
})

test('a worker whose log has no reader any more ends in order nevertheless', async (t) => {
  const pipeline = await openPipeline(t)
  const { child, ended } = start(t, pipeline, ['worker', 'pool'])
  const lanesTaken = async (): Promise<number> => {
    const { rows } = await pipeline.db.query<{ taken: number }>(
      'select count(owner)::int as taken from checkpoint',
    )
    return rows[0]?.taken ?? 0
  }
  await until('it has its lanes', 60_000, async () => (await lanesTaken()) === LANE_COUNT)
  child.stderr?.destroy()
  child.kill('SIGINT')
  t.is(await ended, 0)
  t.is(await lanesTaken(), 0)
})

test('a rebuild that is ended gives its lanes back at once', async (t) => {
  const pipeline = await openPipeline(t)
  const worker = await runWorker(t, pipeline, { actors: ACTOR_NAMES })
  await publishAll(pipeline, smallMarket(11, 50))
  await untilCaughtUp(pipeline)
  await worker.stop()
  for (const actor of ['ledger', 'ranking']) {
    const unlock = await lockTable(pipeline, 'swap')
    const started = start(t, pipeline, ['rebuild', actor])
    await untilItWaits(pipeline, ['rebuild', actor])
    await assertEnds(t, started, 'SIGINT')
    const { rows } = await pipeline.db.query<{ taken: number }>(
      'select count(owner)::int as taken from checkpoint where actor = $1',
      [actor],
    )
    t.deepEqual(rows, [{ taken: 0 }])
    await unlock()
  }
})

test('a worker that must not wait for its database logs it, closes its connection to NATS and ends', async (t) => {
  const pipeline = await openPipeline(t)
  const settings = { ...settingsOf(pipeline), DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }
  const child = startCommand(['worker', 'pool', '--exit-if-unavailable'], settings)
  t.teardown(() => child.kill('SIGKILL'))
  const bound = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const { code, stderr } = await finished(child)
  clearTimeout(bound)
  t.is(code, 1, stderr)
  t.regex(stderr, /127\.0\.0\.1:9/)
})
