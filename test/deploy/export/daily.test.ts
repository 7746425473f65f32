/** `swaptide export --daily` and `swaptide sql` over an installation: whole days, continued, corrected, exact. */
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import type { Lake } from '../../../lake/folder.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { filledPipeline } from '../../support/deploy/exported.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'
import { runHere, settingsOf } from '../../support/programs/commands.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'
import { type Pipeline, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const HOUR_MS = 3_600_000
/** The day of the swaps that `filledPipeline()` has: 24, an hour apart, with amounts up to 2^63 - 1. */
const DAY_MS = Date.UTC(2026, 5, 2)
const DAYS = ['2026-06-02', '2026-06-03']

/** A swap some hours after the beginning of that day. */
const swapAt = (hour: number): Swap =>
  sampleSwap({
    signature: signatureOf(1_000 + hour),
    slot: 390_000_000 + hour,
    timestamp: DAY_MS + hour * HOUR_MS + 1,
    user: trader(hour % 3),
    tokenAddress: mint(hour % 2),
    pairAddress: pair(hour % 2),
    solAmount: 1_000_000_000n + BigInt(hour),
    tokenAmount: 5_000_000n,
    quoteDecimals: 9,
  })

/** Stores swaps at these hours. */
async function ingest(t: ExecutionContext, pipeline: Pipeline, hours: number[]): Promise<void> {
  const path = join(await temporaryFolder(t), 'swaps.ndjson')
  const lines = hours.map((hour) => `${printEvent({ kind: 'swap', swap: swapAt(hour) })}\n`)
  await writeFile(path, lines.join(''))
  const { code, stderr } = await runHere(['ingest', path], settingsOf(pipeline))
  t.is(code, 0, stderr)
  await untilCaughtUp(pipeline)
}

test('writes each day that is over, writes changed days again, and SQL finds the sums of the database', async (t) => {
  const pipeline = await filledPipeline(t, 0)
  await runWorker(t, pipeline, { actors: ['pool'] })
  // The last one is too early in its day for the day before to be over.
  await ingest(t, pipeline, [30, 31, 47, 48])
  const lake = join(await temporaryFolder(t), 'lake')
  const write = async (...options: string[]) =>
    await runHere(['export', '--daily', lake, ...options], settingsOf(pipeline))
  const sums = async () => {
    const sql = 'select count(*), sum(sol_amount), sum(token_amount), max(signature) from swaps'
    const { code, stdout, stderr } = await runHere(
      ['sql', sql, '--lake', lake, '--format', 'csv'],
      {},
    )
    t.is(code, 0, stderr)
    return stdout.trim().split('\n')[1]
  }

  const first = await write()
  t.is(first.code, 0, first.stderr)
  t.is(first.stdout, `${join(lake, 'swaps/2026-06-02.parquet')}\n`)
  t.is(await sums(), await storedSums(pipeline, 24))

  await ingest(t, pipeline, [50])
  const second = await write()
  t.is(second.stdout, `${join(lake, 'swaps/2026-06-03.parquet')}\n`, second.stderr)
  t.true(second.stderr.endsWith('1 day written, 1 unchanged\n'), second.stderr)
  t.is(await sums(), await storedSums(pipeline, 48))
  const list = JSON.parse(await readFile(join(lake, 'lake.json'), 'utf8')) as Lake
  t.deepEqual(
    list.days.map(({ day, rows }) => [day, rows]),
    [
      ['2026-06-02', 24],
      ['2026-06-03', 3],
    ],
  )

  // A late swap changes its day, and the price impact of the one after it.
  await ingest(t, pipeline, [7])
  const third = await write()
  t.true(third.stderr.endsWith('1 day written, 1 unchanged\n'), third.stderr)
  t.is(await sums(), await storedSums(pipeline, 48))
  t.true((await write()).stderr.endsWith('0 days written, 2 unchanged\n'))
  t.true((await write('--from', '2026-06-03')).stderr.endsWith('0 days written, 1 unchanged\n'))
})

/** Sums of the swaps before an hour, as SQL of the lake prints them. */
async function storedSums({ db }: Pipeline, hour: number): Promise<string> {
  const { rows } = await db.query(
    `select count(*)::text, sum(sol_amount)::text as sol, sum(token_amount)::text as tokens, max(signature) as last
    from swap where timestamp_ms < $1`,
    [DAY_MS + hour * HOUR_MS],
  )
  const [{ count, sol, tokens, last }] = rows as [Record<string, string>]
  return [count, sol, tokens, last].join()
}

test('a file that is lost, cut or of another program is an error by name, and the next run writes the lost one', async (t) => {
  const pipeline = await filledPipeline(t, 0)
  await runWorker(t, pipeline, { actors: ['pool'] })
  await ingest(t, pipeline, [30, 50])
  const folder = await temporaryFolder(t)
  const lake = join(folder, 'lake')
  const write = async (path = lake) =>
    await runHere(['export', '--daily', path], settingsOf(pipeline))
  const count = async () =>
    await runHere(['sql', 'select count(*) as n from swaps', '--lake', lake, '--format', 'csv'], {})
  const [empty] = [await count()]
  t.is(empty.code, 2)
  t.true(empty.stderr.includes(`"${lake}" has no day of swaps`), empty.stderr)
  t.is((await write()).code, 0)
  t.is((await count()).stdout, 'n\n25\n')

  const [path = ''] = DAYS.map((day) => join(lake, 'swaps', `${day}.parquet`))
  const bytes = await readFile(path)
  await chmod(path, 0o644)
  await writeFile(path, bytes.subarray(0, 100))
  const cut = await count()
  t.is(cut.code, 2)
  t.true(cut.stderr.includes(`"${path}" has 100 bytes, expected ${bytes.length}`), cut.stderr)
  await rm(path)
  t.true((await count()).stderr.includes(`"${path}" is missing`))
  t.true((await write()).stderr.endsWith('1 day written, 1 unchanged\n'))
  t.deepEqual(await readFile(path), bytes)
  t.is((await count()).stdout, 'n\n25\n')

  const other = await write(folder)
  t.is(other.code, 2)
  t.true(other.stderr.includes('holds other files: name a new folder'), other.stderr)
  await writeFile(join(lake, 'lake.json'), '{"lake_version": 2}')
  t.true((await write()).stderr.includes('has version 2, expected 1'))
  const both = await runHere(['export', '--daily', lake, '--what', 'lots'], settingsOf(pipeline))
  t.is(both.code, 2)
})
