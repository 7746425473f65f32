/**
 * `swaptide export` that is refused, bounded, interrupted or killed: a folder with a manifest is whole, and the next run
 * refuses one without, with the reason.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { filledPipeline, linesOf, manifestOf, parseExact } from '../../support/deploy/exported.ts'
import { finished, runHere, settingsOf, startCommand } from '../../support/programs/commands.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'
import { type Pipeline, until } from '../../support/workers/pipeline.ts'

const HOUR_MS = 3_600_000
const FIRST_MS = Date.UTC(2026, 5, 2)
const BOUND_MS = 60_000

/** Blocks every read of positions until it is released. */
async function holdPositions(t: ExecutionContext, { db }: Pipeline): Promise<() => Promise<void>> {
  const connection = await db.connect()
  await connection.query('begin; lock table position in access exclusive mode')
  let isHeld = true
  const release = async () => {
    if (isHeld) await connection.query('rollback')
    if (isHeld) connection.release()
    isHeld = false
  }
  t.teardown(release)
  return release
}

test('an export that is killed or interrupted leaves no manifest, and the next run refuses its folder with the remedy', async (t) => {
  const pipeline = await filledPipeline(t, 0)
  const settings = settingsOf(pipeline)
  const folder = await temporaryFolder(t)
  const release = await holdPositions(t, pipeline)
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    const path = join(folder, signal)
    const child = startCommand(['export', '--output', path], settings)
    const ending = finished(child)
    await until('swaps and candles are written, positions begun', BOUND_MS, async () => {
      const names = await readdir(path).catch((): string[] => [])
      return names.includes('candles.parquet') && names.includes('positions.parquet.new')
    })
    child.kill(signal)
    const { code, stdout, stderr } = await ending
    const whole = ['candles.parquet', 'swaps.parquet']
    t.deepEqual(stdout.trim().split('\n'), [
      join(path, 'swaps.parquet'),
      join(path, 'candles.parquet'),
    ])
    if (signal === 'SIGINT') {
      t.is(code, 1)
      t.true(
        stderr.includes(`stopped: "${path}" has no manifest and is not a whole export`),
        stderr,
      )
    }
    const left = signal === 'SIGINT' ? whole : [...whole, 'positions.parquet.new']
    t.deepEqual((await readdir(path)).sort(), left.sort())
    const again = await runHere(['export', '--output', path], settings)
    t.is(again.code, 2)
    t.is(
      again.stderr,
      `swaptide: --output "${path}" holds an export that was not finished (it has no manifest.json): ` +
        'remove the folder, or name a new one\n',
    )
  }
  await release()
  const { code, stderr } = await runHere(['export', '--output', join(folder, 'whole')], settings)
  t.is(code, 0, stderr)
})

test('exports the swaps, candles, positions and lots of a range of time', async (t) => {
  const pipeline = await filledPipeline(t, 0)
  const folder = join(await temporaryFolder(t), 'new', 'folder')
  const range = ['--from', '2026-06-02T03:00:00Z', '--to', String(FIRST_MS + 9 * HOUR_MS)]
  const argv = ['export', '--output', folder, '--format', 'ndjson', ...range]
  const { code, stdout, stderr } = await runHere(argv, settingsOf(pipeline))
  t.is(code, 0, stderr)
  t.is(stdout.trim().split('\n').length, 6)
  const hours = async (table: string, field: string) =>
    (await linesOf(folder, table)).map(
      (line) => (Number(parseExact(line)[field]) - FIRST_MS) / HOUR_MS,
    )
  const wanted = [3, 4, 5, 6, 7, 8, 9]
  t.deepEqual(await hours('swaps', 'timestamp'), wanted)
  t.deepEqual(await hours('candles', 'timestamp'), wanted)
  t.deepEqual(await hours('positions', 'last_trade_ts'), [])
  const bought = await hours('lots', 'timestamp')
  t.true(bought.length > 0 && bought.every((hour) => wanted.includes(hour)), `${bought}`)
  const { options } = await manifestOf(folder)
  t.is(options.from_ms, FIRST_MS + 3 * HOUR_MS)
  t.is(options.to_ms, FIRST_MS + 9 * HOUR_MS)
})

test('refuses a folder that is not empty, and arguments that mean nothing', async (t) => {
  const pipeline = await filledPipeline(t, 0)
  const settings = settingsOf(pipeline)
  const folder = await temporaryFolder(t)
  const refused = async (argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runHere(['export', ...argv], settings)
    t.is(code, 2, stderr)
    t.is(stdout, '')
    return stderr.trim()
  }
  const taken = join(folder, 'taken')
  await mkdir(taken)
  await writeFile(join(taken, 'notes.txt'), 'mine')
  t.is(
    await refused(['--output', taken]),
    `swaptide: --output "${taken}" is not empty: name a new folder, or an empty one`,
  )
  t.is(await readFile(join(taken, 'notes.txt'), 'utf8'), 'mine')
  const done = join(folder, 'done')
  t.is((await runHere(['export', '--what', 'lots', '--output', done], settings)).code, 0)
  t.is(
    await refused(['--output', done]),
    `swaptide: --output "${done}" holds an export already: name a new folder`,
  )
  t.regex(await refused(['--output', join(taken, 'notes.txt')]), /notes\.txt" cannot be used: /)
  t.regex(await refused([]), /--output is missing: name the folder of the files/)
  const absent = ['--output', join(folder, 'absent')]
  t.regex(await refused([...absent, '--what', 'swaps,trades']), /unknown what "trades": /)
  t.regex(await refused([...absent, '--format', 'xlsx']), /unknown format "xlsx": /)
  t.regex(
    await refused([...absent, '--from', '1780272000']),
    /--from "1780272000": looks like Unix s/,
  )
  const turned = ['--from', '2026-07-01', '--to', '2026-06-01']
  t.regex(await refused([...absent, ...turned]), /expected no later than --to "2026-06-01"/)
  t.false((await readdir(folder)).includes('absent'))
})
