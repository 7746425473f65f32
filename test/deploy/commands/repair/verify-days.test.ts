/** `swaptide verify --state` shares days between processes, and continues after a kill. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { Swap } from '../../../../domain/events/swap.ts'
import { DAY_MS } from '../../../../domain/time/time-bucket.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'
import { finished, runHere, settingsOf, startCommand } from '../../../support/programs/commands.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  until,
  untilCaughtUp,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const FROM_MS = Date.UTC(2026, 6, 1)
const DAYS = ['2026-07-01', '2026-07-02', '2026-07-03']
const SWAPS_A_DAY = 4

const swapAt = (n: number, ms: number): Swap =>
  sampleSwap({
    ...{ signature: signatureOf(n), slot: Math.floor(ms / 400), timestamp: FROM_MS + ms },
    ...{ tokenAddress: mint(n % 2), pairAddress: pair(n % 2) },
  })

async function store(pipeline: Pipeline, swaps: readonly Swap[]): Promise<void> {
  await publishAll(
    pipeline,
    swaps.map((swap) => ({ kind: 'swap', swap })),
  )
  await untilCaughtUp(pipeline)
}

async function threeDays(pipeline: Pipeline): Promise<void> {
  const count = DAYS.length * SWAPS_A_DAY
  const stepMs = DAY_MS / SWAPS_A_DAY
  await store(
    pipeline,
    Array.from({ length: count }, (_, n) => swapAt(n, n * stepMs + 1_000)),
  )
}

/** Days that a report lists, with how their results were had. */
const listed = (stdout: string): string[] =>
  stdout.split('\n').flatMap((line) => {
    const [day = '', swaps, , how, equal] = line.split(/\s+/)
    return DAYS.includes(day) && equal !== undefined ? [`${day} ${swaps} ${how} ${equal}`] : []
  })

const expected = (...hows: string[]): string[] =>
  DAYS.map((day, index) => `${day} ${SWAPS_A_DAY} ${hows[index]} equal`)

test.serial(
  'a killed run is continued, changed days are verified again, and differences are named',
  async (t) => {
    const pipeline = await openPipeline(t)
    await runWorker(t, pipeline, { actors: ['pool'] })
    await threeDays(pipeline)
    const { db } = pipeline
    const folder = join(await temporaryFolder(t), 'verified')
    const argv = ['verify', '--state', folder]
    const run = (...options: string[]) => runHere([...argv, ...options], settingsOf(pipeline))

    const holder = await db.connect()
    const lastDay = FROM_MS / DAY_MS + 2
    await holder.query(`select pg_advisory_lock(hashtext('verify'), $1)`, [lastDay])
    const killed = startCommand(argv, settingsOf(pipeline))
    const ended = finished(killed)
    await until('two days are verified', 60_000, async () => {
      const names = await readdir(folder).catch(() => [])
      return names.filter((name) => name.endsWith('.json')).length === 2
    })
    killed.kill('SIGKILL')
    t.is((await ended).code, null)
    await holder.query(`select pg_advisory_unlock(hashtext('verify'), $1)`, [lastDay])
    holder.release()

    const second = await run()
    t.is(second.code, 0, second.stderr)
    t.deepEqual(listed(second.stdout), expected('stored', 'stored', 'verified'))
    t.true(second.stdout.includes('not compared: pool, '), second.stdout)

    await writeFile(join(folder, `${DAYS[0]}.json`), '{"stateVersion": 1, "da')
    await store(pipeline, [swapAt(1_000, DAY_MS + 5_000)])
    const third = await run('--json')
    t.is(third.code, 0, third.stderr)
    const { days } = JSON.parse(third.stdout) as { days: { day: string; swaps: number }[] }
    t.deepEqual(
      days.map(({ day, swaps }) => [day, swaps]),
      DAYS.map((day, index) => [day, index === 1 ? SWAPS_A_DAY + 1 : SWAPS_A_DAY]),
    )
    const written = JSON.parse(await readFile(join(folder, `${DAYS[0]}.json`), 'utf8'))
    t.is(written.day, DAYS[0])

    await db.query('update candle_1m set high = 2 * high where bucket_ms >= $1', [
      FROM_MS + 2 * DAY_MS,
    ])
    const one = await runHere(['verify', '--day', DAYS[2]!], settingsOf(pipeline))
    t.is(one.code, 1)
    t.true(one.stdout.includes(`${DAYS[2]} candle_1m: `), one.stdout)
    t.is((await runHere(['verify', '--to', DAYS[1]!], settingsOf(pipeline))).code, 0)

    await writeFile(join(folder, `${DAYS[2]}.json`), '')
    t.is((await run()).code, 1)
    await db.query('update candle_1m set high = high / 2 where bucket_ms >= $1', [
      FROM_MS + 2 * DAY_MS,
    ])
    // A day that differed does not count as verified.
    t.is((await run()).code, 0)
  },
)

test.serial(
  'several processes share the days, and a command ends when all are verified',
  async (t) => {
    const pipeline = await openPipeline(t)
    await runWorker(t, pipeline, { actors: ['pool'] })
    await threeDays(pipeline)
    const folder = await temporaryFolder(t)
    const settings = settingsOf(pipeline)
    const argv = ['verify', '--state', folder, '--processes', '2']
    const { code, stdout, stderr } = await runHere(argv, settings)
    t.is(code, 0, stderr)
    t.is(listed(stdout).length, DAYS.length, stdout)
    t.deepEqual(
      (await readdir(folder)).sort(),
      DAYS.map((day) => `${day}.json`),
    )
    const again = await runHere(argv, settings)
    t.deepEqual(listed(again.stdout), expected('stored', 'stored', 'stored'))
  },
)

test('options that contradict each other are refused', async (t) => {
  const refused = async (...options: string[]) => {
    const { code, stderr } = await runHere(['verify', ...options])
    t.is(code, 2)
    return stderr
  }
  t.regex(await refused('--day', '2026-07-01', '--to', '2026-07-02'), /use either/)
  t.regex(await refused('--day', '2026-07-01T05:00:00Z'), /expected a date/)
  t.regex(await refused('--processes', '2'), /--processes needs --state DIR/)
  t.regex(await refused('--from', '2026-07-02', '--to', '2026-07-01'), /no later than/)
})
