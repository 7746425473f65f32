// Replays requested by an operator: their output, their status, and that they outlive their process.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { replayPattern } from '../../../streams/replay/replay-request.ts'
import { planReplay, replay } from '../../../workers/replay/replay.ts'
import { CHROMIUM } from '../../support/web/chromium.ts'
import { type Pipeline, publishAll, until, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'
import { openPage, WHY_SKIPPED } from '../openapi/browser.ts'
import { type ConsoleUnderTest, consoleUnderTest, OPERATOR_KEY } from './console-under-test.ts'

const BOUND_MS = 60_000
/** How long a replay takes that is ended in the middle: a busy machine looks and ends it in a part of that. */
const IN_SECONDS = 24
const SWAPS = 600
const PROGRAM = join(import.meta.dirname, '../../support/programs/jobs-program.ts')
const REPLAYS = '/admin/v1/replays'

type Row = Record<string, string | number | null>
type Under = ConsoleUnderTest & {
  /** A subject of a stream that stores it. */
  subject: string
  /** Messages of the subject, in the order of arrival. */
  published(): Promise<string[]>
  start(requested: Record<string, string>): Promise<string>
  find(id: string): Promise<Row | undefined>
  /** Options of a job worker. */
  streams: { natsUrl: string; prefix: string; laneCount: number }
}

/** An ingested market, and a stream for the output. */
async function replaysUnderTest(t: ExecutionContext, seed: number): Promise<Under> {
  const under = await consoleUnderTest(t)
  const { pipeline, operator } = under
  const { jetStream, natsUrl, prefix, laneCount } = pipeline
  await runWorker(t, pipeline)
  await publishAll(pipeline, smallMarket(seed, SWAPS), { eventsMax: 100 })
  await untilCaughtUp(pipeline)
  const stream = `${prefix.replace('.', '')}_again`
  const subject = `${prefix}again`
  const { streams } = jetStream.manager
  await streams.add({ name: stream, subjects: [subject], max_bytes: 16 * 1024 * 1024 })
  t.teardown(() => streams.delete(stream).catch(() => {}))
  return {
    ...under,
    subject,
    async published() {
      const { state } = await streams.info(stream)
      const lines: string[] = []
      for (let sequence = 1; sequence <= state.last_seq; sequence++) {
        const message = await jetStream.messageAt(stream, sequence)
        lines.push(new TextDecoder().decode(message?.payload))
      }
      return lines
    },
    async start(requested) {
      const query = new URLSearchParams({ to_subject: subject, ...requested })
      const { status, body, text } = await operator(`${REPLAYS}?${query}`, 'POST')
      t.is(status, 200, text)
      return String((body.data as unknown as Row).id)
    },
    find: async (id) => (await operator(REPLAYS)).body.data.find((row) => row.id === id) as Row,
    streams: { natsUrl, prefix, laneCount },
  }
}

/** The output of a replay of a pattern. */
async function linesOf(pipeline: Pipeline, subject: string): Promise<string[]> {
  const { db, jetStream, topology, laneCount } = pipeline
  const refuse = (_: string, reason: string) => new Error(reason)
  const pattern = replayPattern({ subject }, laneCount, refuse)
  const deps = { db, jetStream, topology }
  const everything = { fromMs: null, toMs: null, fromSequence: null, toSequence: null }
  const { plan, position } = await planReplay(deps, pattern, everything)
  const lines: string[] = []
  for await (const { events } of replay(deps, plan, pattern, position)) {
    lines.push(...events.map(printEvent))
  }
  return lines
}

/** A pace at which all of it lasts so long. */
function speedOf(lines: readonly string[], seconds: number): string {
  const times = lines.flatMap((line) => JSON.parse(line).timestamp ?? [])
  return ((Math.max(...times) - Math.min(...times)) / (seconds * 1_000)).toFixed(6)
}

const inState = (under: Under, id: string, state: string) =>
  until(`the replay is ${state}`, BOUND_MS, async () => (await under.find(id))?.state === state)
const half = (under: Under, lines: readonly string[], id: string) =>
  until('half of it is out', BOUND_MS, async () => {
    return Number((await under.find(id))?.events) > lines.length / 2
  })

test('publishes a replay whole, reports it while it waits and when it is done, and records it in the audit log', async (t) => {
  const under = await replaysUnderTest(t, 801)
  const { pipeline, bench, subject, streams, operator } = under
  const lines = await linesOf(pipeline, 'feed.venue_2.*')
  t.true(lines.length > 10)
  const id = await under.start({ subject: 'feed.venue_2.*' })
  const given = {
    subject: 'feed.venue_2.*',
    to_subject: subject,
    from: null,
    to: null,
    speed: null,
  }
  t.like(await under.find(id), { ...given, state: 'waiting', events: 0, ended_at: null })
  bench.work({ databaseUrl: pipeline.databaseUrl, streams })
  await inState(under, id, 'done')
  t.like(await under.find(id), { ...given, events: lines.length, phase: 'done', failure: null })
  t.deepEqual((await under.published()).sort(), lines.sort())

  const to = '2026-07-20T12:00:00.000Z'
  const second = await under.start({ subject: 'swap.>', to, speed: '2.5' })
  t.like(await under.find(second), { subject: 'swap.>', from: null, to, speed: 2.5 })
  t.is((await operator(`${REPLAYS}/${id}`, 'DELETE')).status, 200)
  t.is(await under.find(id), undefined)
  const { body } = await operator('/admin/v1/audit')
  t.deepEqual(
    body.data.map(({ action, target }) => `${action}: ${target}`),
    [
      `replay_stopped: replay ${id}`,
      `replay_started: replay ${second} of swap.> to subject ${subject}`,
      `replay_started: replay ${id} of feed.venue_2.* to subject ${subject}`,
    ],
  )
})

test('one that runs is stopped where it is, one that waits is forgotten', async (t) => {
  const under = await replaysUnderTest(t, 802)
  const { pipeline, bench, streams, operator } = under
  const lines = await linesOf(pipeline, 'feed.>')
  const { stop } = bench.work({ databaseUrl: pipeline.databaseUrl, streams })
  // The replay takes an hour: only stopping ends it.
  const id = await under.start({ speed: speedOf(lines, 3_600) })
  await inState(under, id, 'running')
  t.is((await operator(`${REPLAYS}/${id}`, 'DELETE')).status, 200)
  await inState(under, id, 'stopped')
  const row = await under.find(id)
  t.true(Number(row?.events) < lines.length)
  t.is((await under.published()).length, Number(row?.events))
  await stop()
  const waiting = await under.start({})
  t.is((await operator(`${REPLAYS}/${waiting}`, 'DELETE')).status, 200)
  t.is(await under.find(waiting), undefined)
  t.is((await operator(`${REPLAYS}/${waiting}`, 'DELETE')).status, 404)
})

test('hands on the replay of an ending process, which resumes from its position', async (t) => {
  const under = await replaysUnderTest(t, 803)
  const { pipeline, bench, streams } = under
  const { databaseUrl } = pipeline
  const lines = await linesOf(pipeline, 'feed.>')
  const first = bench.work({ databaseUrl, streams })
  const id = await under.start({ speed: speedOf(lines, IN_SECONDS) })
  await half(under, lines, id)
  await first.stop()
  t.like(await under.find(id), { state: 'waiting', failure: null })
  const soFar = await under.published()
  t.true(soFar.length < lines.length, 'it was in the middle')
  bench.work({ databaseUrl, streams })
  await inState(under, id, 'done')
  const all = await under.published()
  t.deepEqual(all.slice(0, soFar.length), soFar)
  t.deepEqual(all.sort(), lines.sort())
})

test('resumes the replay of a killed process elsewhere, and the stream drops its duplicates', async (t) => {
  const under = await replaysUnderTest(t, 804)
  const { pipeline, bench, streams } = under
  const { databaseUrl } = pipeline
  const { redisUrl, prefix } = bench
  const lines = await linesOf(pipeline, 'feed.>')
  const given = { databaseUrl, redisUrl, prefix, streams, lockMs: 1_000 }
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(given)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const id = await under.start({ speed: speedOf(lines, IN_SECONDS) })
  await half(under, lines, id)
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.true((await under.published()).length < lines.length, 'it was in the middle')
  // A loaded machine renews its lock in time.
  bench.work({ databaseUrl, streams, lockMs: 12_000 })
  await inState(under, id, 'done')
  t.deepEqual((await under.published()).sort(), lines.sort())
  t.is((await under.find(id))?.events, lines.length)
})

test('refuses an invalid replay before anything starts', async (t) => {
  const { operator, pipeline } = await consoleUnderTest(t)
  const to_subject = 'somewhere'
  const cases: [Record<string, string>, number, RegExp][] = [
    [{}, 400, /^to_subject is required$/],
    [{ to_subject: 'a.*' }, 400, /^to_subject "a\.\*": expected a subject without wildcards/],
    [{ to_subject: `${pipeline.prefix}swap.venue_1.0` }, 400, /that no stream of ours has$/],
    [{ to_subject: '$JS.API.STREAM.DELETE.all' }, 400, /none that NATS reserves$/],
    [{ to_subject: '_INBOX.a.b' }, 400, /none that NATS reserves$/],
    [{ to_subject, subject: 'food.>' }, 400, /^subject "food\.>": expected swap\. or feed\. first/],
    [{ to_subject, speed: '-1' }, 400, /^speed "-1": expected a number above 0, or max$/],
    [{ to_subject, from: 'monday' }, 400, /^from "monday": expected a time like/],
    [{ to_subject, from: '6', to: '5' }, 400, /^from "6": expected no later than to "5"$/],
    [{ to_subject, from: 'foo 1' }, 400, /^from "foo 1": expected a time like/],
    [{ to_subject, to: '2026-02-30' }, 400, /^to "2026-02-30": the calendar has no day 2026-02-30/],
    [{ to_subject, from: '1784548800' }, 400, /^from "1784548800": looks like Unix seconds/],
    [{ to_subject, from: 'sequence:999999' }, 400, /, not 999999: expected at most \d+$/],
    [{ to_subject, from: '0' }, 400, /^the stream holds .*, not 0: begin at a time/],
  ]
  for (const [requested, status, said] of cases) {
    const answer = await operator(`${REPLAYS}?${new URLSearchParams(requested)}`, 'POST')
    t.is(answer.status, status, answer.text)
    t.regex(String((answer.body.error as unknown as Row).message), said)
  }
  for (const id of ['meta', '0b6a3f52-6c1e-4c1b-9d55-3d0a7f0f5c11']) {
    t.is((await operator(`${REPLAYS}/${id}`, 'DELETE')).status, 404)
  }
  t.deepEqual((await operator(REPLAYS)).body.data, [])
  t.deepEqual((await operator('/admin/v1/audit')).body.data, [])
})

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial

inBrowser(`a replay is started, watched and stopped in the console${WHY_SKIPPED}`, async (t) => {
  const under = await replaysUnderTest(t, 805)
  const { api, pipeline, bench, subject, streams } = under
  const lines = await linesOf(pipeline, 'feed.>')
  const { page, complaints } = await openPage(t, `${api.url}/admin/replays`)
  await page.getByLabel('Operator token').fill(OPERATOR_KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('No replay yet.').waitFor()
  await page.getByLabel('To subject').fill('a.>')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('expected a subject without wildcards').waitFor()
  await page.getByLabel('To subject').fill(subject)
  await page.getByLabel('Speed').fill(speedOf(lines, 3_600))
  await page.getByRole('button', { name: 'Start' }).click()
  const row = page.locator('tbody tr', { hasText: subject })
  await row.getByText('waiting').waitFor()
  bench.work({ databaseUrl: pipeline.databaseUrl, streams })
  await row.getByText('running').waitFor()
  await row.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
  await row.getByText('stopped').waitFor()
  await row.getByRole('button', { name: 'Forget' }).click()
  await page.getByText('No replay yet.').waitFor()
  t.deepEqual(
    complaints.filter((line) => !line.includes('400')),
    [],
  )
})
