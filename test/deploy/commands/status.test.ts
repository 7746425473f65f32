/** The output of `swaptide status`; what waits runs as a separate process. */

import test, { type ExecutionContext } from 'ava'
import { recreateStream } from '../../../streams/nats/topology.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { ACTOR_NAMES } from '../../../workers/actors.ts'
import { finished, runHere, settingsOf, startCommand } from '../../support/programs/commands.ts'
import { tcpProxy } from '../../support/servers/tcp-proxy.ts'
import { assertLedger } from '../../support/workers/ledger.ts'
import { openPipeline, type Pipeline, publishAll, until } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket, swapsOf } from '../../support/workers/small-market.ts'
import { publishApart, spawnWorker } from '../../support/workers/spawned-worker.ts'

const except = (...left: string[]): string[] => ACTOR_NAMES.filter((name) => !left.includes(name))
const READERS = except('pool')

const BOUND_MS = 60_000

test('status does not count dead letters of FEED, which are never sent again', async (t) => {
  const pipeline = await openPipeline(t)
  await pipeline.db.query(
    `insert into dead_letter (actor, lane, stream_epoch, sequence, part, subject, reason, payload)
     select actor, 0, 'e', 1, 0, 's', 'bad', '' from unnest('{pool,ledger,ranking}'::text[]) actor`,
  )
  const settings = settingsOf(pipeline)
  const { code, stdout } = await runHere(['status', '--json'], settings)
  t.is(code, 0)
  t.is(JSON.parse(stdout).dead_letters, 1)
  t.regex((await runHere(['status'], settings)).stdout, /\n0 swaps, 1 dead letter\n$/)
  const { stdout: list } = await runHere(['dead', 'list'], settings)
  t.is(list.match(/ counted +bad$/gm)?.length, 2)
  t.is(list.match(/ waits +bad$/gm)?.length, 1)
})

/** Swaps that each actor has in its tables, and whether a position waits to be recomputed, in one snapshot. */
async function countTables({ db }: Pipeline) {
  const { rows } = await db.query(
    `select
       (select coalesce(sum(swap_count), 0)::integer from pool) as pools,
       (select coalesce(sum(buy_count + sell_count), 0)::integer from position_hour) as ledger,
       (select coalesce(sum(buy_count + sell_count), 0)::integer from trader_hour) as ranking,
       (select count(*)::integer from position_refold) as waiting`,
  )
  return rows[0]
}

const SECONDS_MAX = 60

/** Checks what is left, as the wait reports it; a slow machine does not come to look at it within the first time-outs. */
async function assertLeft(
  t: ExecutionContext,
  settings: Readonly<Record<string, string>>,
  left: RegExp,
): Promise<void> {
  for (let seconds = 3; ; seconds *= 2) {
    const wait = ['status', '--wait', '--timeout', String(seconds)]
    const { code, stderr } = await runHere(wait, settings)
    t.is(code, 1)
    if (!left.test(stderr) && seconds < SECONDS_MAX) continue
    t.regex(stderr, left)
    return
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('--wait returns when all that SWAP held is in the tables of every actor', async (t) => {
  const pipeline = await openPipeline(t)
  const settings = settingsOf(pipeline)
  await runWorker(t, pipeline)
  // A ledger and a ranking that are never level with FEED of their own accord while anything comes.
  const onStep = async (step: string) => {
    if (step === 'pulled') await pause(60)
  }
  await runWorker(t, pipeline, { actors: READERS, onStep })
  const prng = new Prng([2_717])
  let count = 0
  for (let round = 0; round < 6; round++) {
    const events = smallMarket(900 + round, 100 + prng.below(400))
    count += swapsOf(events)
    await publishAll(pipeline, events, { eventsMax: 10 })
    const { code, stderr } = await runHere(['status', '--wait'], settings)
    t.deepEqual(
      await countTables(pipeline),
      { pools: count, ledger: count, ranking: count, waiting: 0 },
      `round ${round}`,
    )
    t.is(code, 0, stderr)
  }
  await assertLedger(t, pipeline)
})

test('--wait waits for commits that a killed worker had yet to publish', async (t) => {
  const pipeline = await openPipeline(t)
  const settings = settingsOf(pipeline)
  const doomed = await spawnWorker(t, pipeline, {
    fault: { step: 'committed', after: 3, signal: 'SIGKILL' },
  })
  await publishApart(pipeline, smallMarket(931, 300), { worker: doomed, eventsMax: 20 })
  await doomed.ended
  await runWorker(t, pipeline, { actors: READERS })
  const waiting = runHere(['status', '--wait'], settings)
  await runWorker(t, pipeline)
  const { code, stderr } = await waiting
  const { pools, ledger, ranking } = await countTables(pipeline)
  t.is(code, 0, stderr)
  t.deepEqual([ledger, ranking], [pools, pools])
  await assertLedger(t, pipeline)
})

test('--wait waits for rankings, also where their next refresh changes nothing', async (t) => {
  const pipeline = await openPipeline(t)
  const settings = settingsOf(pipeline)
  await runWorker(t, pipeline, { actors: except('ranking') })
  const ranking = await runWorker(t, pipeline, { actors: ['ranking'] })
  await publishAll(pipeline, smallMarket(951, 100))
  t.is((await runHere(['status', '--wait'], settings)).code, 0)
  await ranking.stop()
  await pipeline.db.query('update ranking_roll set feed_sequence = feed_sequence - 1')
  await assertLeft(t, settings, /rankings are being refreshed/)
  await runWorker(t, pipeline, { actors: ['ranking'] })
  t.is((await runHere(['status', '--wait'], settings)).code, 0)
  const { rows } = await pipeline.db.query(
    `select feed_sequence >= (select sequence from checkpoint where actor = 'ranking') as is_current
     from ranking_roll`,
  )
  t.deepEqual(rows, [{ is_current: true }])
})

test('--wait waits for the ranking that follows a recount', async (t) => {
  const pipeline = await openPipeline(t)
  const settings = settingsOf(pipeline)
  await runWorker(t, pipeline, { actors: except('ranking') })
  const ranking = await runWorker(t, pipeline, { actors: ['ranking'] })
  await publishAll(pipeline, smallMarket(961, 100))
  t.is((await runHere(['status', '--wait'], settings)).code, 0)
  await ranking.stop()
  await pipeline.db.query('insert into ranking_recount default values')
  await assertLeft(t, settings, /1 to be recomputed in the background/)
  const before = await refreshedMs(pipeline)
  const onStep = async (step: string) => {
    if (step === 'written') await pause(1_000)
  }
  await runWorker(t, pipeline, { actors: ['ranking'], onStep })
  t.is((await runHere(['status', '--wait'], settings)).code, 0)
  t.true((await refreshedMs(pipeline)) > before)
})

async function refreshedMs({ db }: Pipeline): Promise<number> {
  const { rows } = await db.query<{ at: number }>('select rolled_ms as at from ranking_roll')
  return rows[0]?.at ?? Number.NaN
}

test('--wait waits for lanes to resume in a FEED that was recreated, and for their audits', async (t) => {
  const pipeline = await openPipeline(t)
  const settings = settingsOf(pipeline)
  await runWorker(t, pipeline)
  const readers = await runWorker(t, pipeline, { actors: READERS })
  await publishAll(pipeline, smallMarket(971, 200))
  t.is((await runHere(['status', '--wait'], settings)).code, 0)
  await readers.stop()
  await recreateStream(pipeline.jetStream, pipeline.topology.feed.stream)
  await assertLeft(t, settings, /\d lanes to resume in the renewed FEED/)
  await runWorker(t, pipeline, { actors: READERS })
  t.is((await runHere(['status', '--wait'], settings)).code, 0)
  await assertLedger(t, pipeline)
})

test('--wait waits for the positions that an audit queues', async (t) => {
  const pipeline = await openPipeline(t)
  const settings = settingsOf(pipeline)
  await runWorker(t, pipeline, { actors: except('ledger') })
  const ledger = await runWorker(t, pipeline, { actors: ['ledger'] })
  await publishAll(pipeline, smallMarket(981, 200))
  t.is((await runHere(['status', '--wait'], settings)).code, 0)
  await ledger.stop()
  await pipeline.db.query(`update position set swap_count = swap_count + 1`)
  await pipeline.db.query(
    'insert into ledger_audit (lane) select lane from checkpoint where actor = $1',
    ['ledger'],
  )
  await assertLeft(t, settings, /\d to be recomputed in the background/)
  await runWorker(t, pipeline, { actors: ['ledger'] })
  t.is((await runHere(['status', '--wait'], settings)).code, 0)
  t.is((await countTables(pipeline)).waiting, 0)
  await assertLedger(t, pipeline)
})

test('--wait reports the remaining messages after its time-out', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  await publishAll(pipeline, smallMarket(941, 50), { eventsMax: 10 })
  const left = /not caught up after \d+ s: \d+ messages left to apply\n$/
  await assertLeft(t, settingsOf(pipeline), left)
})

test('--wait waits for servers that do not answer, and ends with the reason after its time-out', async (t) => {
  const pipeline = await openPipeline(t)
  const database = await tcpProxy(t, pipeline.databaseUrl)
  const nats = await tcpProxy(t, pipeline.natsUrl)
  const settings = {
    ...settingsOf(pipeline),
    ...{ DATABASE_URL: database.url, NATS_URL: nats.url },
  }
  for (const [server, name] of [
    [database, 'PostgreSQL'],
    [nats, 'NATS'],
  ] as const) {
    server.cut()
    t.is((await runHere(['status', '--wait', '--timeout', '1'], settings)).code, 1)
    const child = startCommand(['status', '--wait'], settings)
    let log = ''
    child.stderr?.on('data', (part) => {
      log += part
    })
    const ended = finished(child)
    await until(`it waits for ${name}`, BOUND_MS, () => log.includes(`"server":"${name} at `))
    server.mend()
    t.is((await ended).code, 0, log)
  }
  await runWorker(t, pipeline)
  await publishAll(pipeline, smallMarket(991, 300), { eventsMax: 10 })
  const waiting = runHere(['status', '--wait'], settings)
  await pause(500)
  database.cut()
  await pause(1_500)
  database.mend()
  await runWorker(t, pipeline, { actors: READERS })
  const { code, stderr } = await waiting
  t.is(code, 0, stderr)
  const { pools, ledger, ranking, waiting: left } = await countTables(pipeline)
  t.deepEqual([ledger, ranking, left], [pools, pools, 0])
})

test('status reports the messages that streams lost within seven days', async (t) => {
  const pipeline = await openPipeline(t)
  await pipeline.db.query(
    `insert into lost_message (actor, lane, stream, stream_epoch, sequence, message_count, found_at)
     values ('ledger', 0, 'FEED', 'e', 1, 2, now()), ('pool', 0, 'SWAP', 'e', 1, 40, now() - interval '8 days')`,
  )
  const settings = settingsOf(pipeline)
  t.is(JSON.parse((await runHere(['status', '--json'], settings)).stdout).lost_messages, 2)
  const { stdout } = await runHere(['status'], settings)
  t.regex(stdout, /, 2 messages lost by the streams within seven days: see the log\n$/)
})
