/**
 * Servers that go away under a worker, on a stack of this file's own: PostgreSQL killed, connections
 * cut at COMMIT, PostgreSQL away for a while, NATS killed, its streams lost. The tests follow one
 * another on the one stack.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { type Stack, startStack } from '../../../deploy/local/stack.ts'
import type { Event } from '../../../domain/events/event.ts'
import { ensureTopology } from '../../../streams/nats/topology.ts'
import { assertExact } from '../../simulation/judge.ts'
import { untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { stackDefaults } from '../../support/servers/servers.ts'
import { assertLedger, untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  readSwap,
  STREAM_BYTES,
  until,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { type RunningWorker, runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

let stack: Stack
let home: string

test.before(async (t) => {
  home = await mkdtemp(join(tmpdir(), 'swaptide-outage-'))
  stack = await startStack({ ...stackDefaults((line) => t.log(line)), home })
})

test.after.always(async () => {
  await stack?.stop()
  await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
})

async function begin(t: ExecutionContext, seed: number): Promise<[Pipeline, Event[]]> {
  const pipeline = await openPipeline(t, { laneCount: 4, servers: stack, natsAnswerMs: 5_000 })
  return [pipeline, smallMarket(seed, 400)]
}

function assertSound(t: ExecutionContext, worker: RunningWorker): void {
  t.is(worker.failure()?.stack, undefined)
}

test.serial('a restart of a killed PostgreSQL loses and repeats no event', async (t) => {
  const [pipeline, events] = await begin(t, 300)
  const worker = await runWorker(t, pipeline)
  const publishing = publishAll(pipeline, events, { eventsMax: 8 })
  await until('work has begun', 60_000, () => hasCommitted(pipeline))
  stack.servers.postgres.kill('SIGKILL')
  await stack.servers.postgres.start()
  await publishing
  await untilCaughtUp(pipeline, 60_000)
  await assertExact(t, pipeline)
  assertSound(t, worker)
})

test.serial('commits of the ledger that a killed PostgreSQL forgot are made again', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4, servers: stack })
  const pools = await runWorker(t, pipeline)
  await publishAll(pipeline, smallMarket(308, 2_000), { eventsMax: 8 })
  await untilCaughtUp(pipeline, 60_000)
  await pools.stop()
  const { db } = pipeline
  // Meanwhile only a synchronous commit writes the log, and the ledger makes none.
  await db.query(`alter system set wal_writer_delay = '10s'`)
  await db.query('select pg_reload_conf()')
  const worker = await runWorker(t, pipeline, { actors: ['ledger'] })
  await until('the ledger has begun', 60_000, async () => {
    const found = await db.query(`select from checkpoint where actor = 'ledger' and sequence > 0`)
    return found.rowCount !== 0
  })
  stack.servers.postgres.kill('SIGKILL')
  await stack.servers.postgres.start()
  await untilLedgerCaughtUp(pipeline, 60_000)
  await assertLedger(t, pipeline)
  assertSound(t, worker)
  await db.query('alter system reset wal_writer_delay')
  await db.query('select pg_reload_conf()')
})

test.serial('refills ranking snapshots that PostgreSQL emptied in its recovery', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4, servers: stack })
  const { db } = pipeline
  const worker = await runWorker(t, pipeline, { actors: ['pool', 'ledger', 'ranking'] })
  await publishAll(pipeline, smallMarket(309, 300), { eventsMax: 20 })
  await untilRankingCaughtUp(pipeline, 60_000)
  const pages = async (): Promise<string> => {
    const { rows } = await db.query(
      `select (select count(*) from trending_page) as trending, (select count(*) from mover_page) as movers,
         (select newest_ms = newest_swap_ms() from ranking_roll) as is_whole`,
    )
    return JSON.stringify(rows[0])
  }
  const whole = /"trending":(?:[2-9]|\d\d+).*"movers":110,"is_whole":true/
  await until('there are pages', 60_000, async () => whole.test(await pages()))
  // One backend dies: the server ends all others, and empties unlogged tables.
  const { rows } = await db.query<{ pid: number }>('select pg_backend_pid() as pid')
  process.kill(rows[0]!.pid, 'SIGKILL')
  await until('it has recovered', 60_000, () =>
    pages().then(
      () => true,
      () => false,
    ),
  )
  await until('the pages are back', 60_000, async () => whole.test(await pages()))
  assertSound(t, worker)
})

test.serial('a connection cut at COMMIT neither loses nor repeats an event', async (t) => {
  const [pipeline, events] = await begin(t, 301)
  let cuts = 0
  const worker = await runWorker(t, pipeline, {
    onStep: async (step) => {
      if (step !== 'written' || cuts >= 12) return
      cuts += 1
      await pipeline.db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and state = 'idle in transaction'`,
      )
    },
  })
  await publishAll(pipeline, events, { eventsMax: 20 })
  await untilCaughtUp(pipeline, 60_000)
  await assertExact(t, pipeline)
  t.is(cuts, 12)
  assertSound(t, worker)
})

test.serial('PostgreSQL away for a while makes the worker wait, not give up', async (t) => {
  const [pipeline, events] = await begin(t, 302)
  const worker = await runWorker(t, pipeline)
  await stack.servers.postgres.stop()
  await publishAll(pipeline, events, { eventsMax: 20 })
  // The outage under test: no server for this long.
  await pause(12_000)
  await stack.servers.postgres.start()
  await untilCaughtUp(pipeline, 60_000)
  await assertExact(t, pipeline)
  assertSound(t, worker)
})

test.serial('a restart of a killed NATS loses no event and causes no long wait', async (t) => {
  const [pipeline, events] = await begin(t, 303)
  const worker = await runWorker(t, pipeline)
  const publishing = publishAll(pipeline, events, { eventsMax: 8 })
  await until('work has begun', 60_000, () => hasCommitted(pipeline))
  stack.servers.nats.kill('SIGKILL')
  await stack.servers.nats.start()
  await publishing
  await untilCaughtUp(pipeline, 60_000)
  await assertExact(t, pipeline)
  assertSound(t, worker)
})

test.serial('a stopped NATS that is away for a while is waited for', async (t) => {
  const [pipeline, events] = await begin(t, 304)
  const worker = await runWorker(t, pipeline)
  const publishing = publishAll(pipeline, events, { eventsMax: 8 })
  await until('work has begun', 60_000, () => hasCommitted(pipeline))
  await stack.servers.nats.stop()
  await pause(6_000)
  await stack.servers.nats.start()
  await publishing
  await untilCaughtUp(pipeline, 60_000)
  await assertExact(t, pipeline)
  assertSound(t, worker)
})

test.serial('lost streams lose no committed event, and the worker logs it', async (t) => {
  const [pipeline, events] = await begin(t, 305)
  const worker = await runWorker(t, pipeline)
  const half = Math.floor(events.length / 2)
  await publishAll(pipeline, events.slice(0, half), { eventsMax: 20 })
  await untilCaughtUp(pipeline)
  const arrived = await readSwap(pipeline)
  await loseStreams(pipeline)
  // The new stream soon exceeds the read sequence of the old one.
  for (let round = 0; round < 3; round++) {
    await publishAll(pipeline, events.slice(half), { eventsMax: 1 + round })
  }
  await untilCaughtUp(pipeline, 60_000)
  const again = await readSwap(pipeline)
  await assertExact(t, pipeline, { arrived: [...arrived, ...again], hasFeed: false })
  const said = pipeline.recording.lines.filter((line) =>
    line.includes('reading recreated stream from its start'),
  )
  t.true(said.length > 0)
  assertSound(t, worker)
})

test.serial('lost streams are noticed although messages never cease', async (t) => {
  const [pipeline, events] = await begin(t, 306)
  const worker = await runWorker(t, pipeline)
  await publishAll(pipeline, events, { eventsMax: 1 })
  await untilCaughtUp(pipeline)
  const arrived = await readSwap(pipeline)
  await loseStreams(pipeline)
  let isOver = false
  const flowing = (async () => {
    for (let seed = 1_000; !isOver; seed++) {
      await publishAll(pipeline, smallMarket(seed, 40), { eventsMax: 1 })
      await pause(100)
    }
  })()
  try {
    await until('the worker says so', 60_000, () =>
      pipeline.recording.lines.some((line) =>
        line.includes('reading recreated stream from its start'),
      ),
    )
  } finally {
    isOver = true
    await flowing
  }
  await untilCaughtUp(pipeline, 60_000)
  const again = await readSwap(pipeline)
  await assertExact(t, pipeline, { arrived: [...arrived, ...again], hasFeed: false })
  assertSound(t, worker)
})

/** Whether a lane has made a commit; a slow worker makes one of all waiting events. */
async function hasCommitted(pipeline: Pipeline): Promise<boolean> {
  const { rows } = await pipeline.db.query<{ commits: number }>(
    'select coalesce(sum(commit_number), 0)::integer as commits from checkpoint',
  )
  return (rows[0]?.commits ?? 0) > 0
}

/** Simulates the loss of the store: the streams are new and empty. */
async function loseStreams(pipeline: Pipeline): Promise<void> {
  const { jetStream, topology, prefix, laneCount } = pipeline
  for (const { stream } of [topology.swap, topology.feed]) {
    await jetStream.manager.streams.delete(stream)
  }
  const sizes = { swapMaxBytes: STREAM_BYTES, feedMaxBytes: STREAM_BYTES }
  const renewed = await ensureTopology(jetStream, { prefix, laneCount, ...sizes })
  Object.assign(topology, renewed)
}
