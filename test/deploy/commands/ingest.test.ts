/** `swaptide ingest` of the same market as lines, as CSV and as Parquet, into databases of their own. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { csvOf, parquetOfEvents } from '../../support/events/tables.ts'
import { runHere, settingsOf } from '../../support/programs/commands.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'
import { openPipeline } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const EVENTS = Array.from(simulate({ seed: 54, swaps: 1_200, fromMs: Date.UTC(2026, 5, 1) }))
const SWAPS = EVENTS.filter(({ kind }) => kind === 'swap').length

/** Ingests a file twice: the outcomes, and what all tables hold afterwards. */
async function ingestTwice(t: ExecutionContext, name: string, content: string | Buffer) {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const path = join(await temporaryFolder(t), name)
  await writeFile(path, content)
  const ingest = async () => {
    const { code, stdout, stderr } = await runHere(['ingest', '--json', path], settingsOf(pipeline))
    return { code, stderr, ...JSON.parse(stdout) }
  }
  const first = await ingest()
  const second = await ingest()
  const { tables, clean } = await verify(pipeline.db, { log: pipeline.recording.log })
  t.true(clean)
  return { first, second, hashes: tables.map(({ name, stored }) => `${name} ${stored}`) }
}

test('lines, CSV and Parquet of the same events end in the same tables, and again change nothing', async (t) => {
  const lines = await ingestTwice(t, 'market.ndjson', `${EVENTS.map(printEvent).join('\n')}\n`)
  t.like(lines.first, { code: 0, accepted: SWAPS, duplicates: 0, refused: 0 })
  for (const [name, content] of [
    ['market.csv', csvOf(EVENTS)],
    ['market.tsv', csvOf(EVENTS, '\t')],
    ['market.parquet', parquetOfEvents(EVENTS, 500)],
  ] as const) {
    const found = await ingestTwice(t, name, content)
    t.like(
      found.first,
      { code: 0, accepted: SWAPS, duplicates: 0, refused: 0, unread_files: 0 },
      name,
    )
    t.like(found.second, { code: 0, accepted: 0, duplicates: SWAPS, refused: 0 }, name)
    t.deepEqual(found.hashes, lines.hashes, name)
  }
})

test('a broken row and a broken file are reported, and all others are stored', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const folder = await temporaryFolder(t)
  const table = join(folder, 'market.csv')
  const [header = '', ...rows] = csvOf(EVENTS).trimEnd().split('\n')
  await writeFile(table, `${[header, ...rows.slice(0, 9), 'swap', ...rows.slice(9)].join('\n')}\n`)
  const cut = join(folder, 'cut.parquet')
  await writeFile(cut, parquetOfEvents(EVENTS).subarray(0, -9))
  const { code, stdout, stderr } = await runHere(
    ['ingest', '--json', cut, table],
    settingsOf(pipeline),
  )
  t.is(code, 1)
  t.like(JSON.parse(stdout), { accepted: SWAPS, refused: 1, unread_files: 1 })
  t.regex(stderr, /cut\.parquet: expected the file to end with "PAR1": it is truncated/)
  t.regex(stderr, /market\.csv:11 line "swap": expected 45 cells as in the header, found 1/)
})

test('arguments that cannot be meant are refused before anything is read', async (t) => {
  const pipeline = await openPipeline(t)
  const folder = await temporaryFolder(t)
  const mapping = join(folder, 'mapping.json')
  await writeFile(mapping, '{"kind":"swaps"}')
  const refused = async (...argv: string[]) => {
    const { code, stderr } = await runHere(['ingest', ...argv], settingsOf(pipeline))
    t.true(code === 1 || code === 2, stderr)
    return stderr
  }
  t.regex(
    await refused('--format', 'xlsx', 'a'),
    /unknown format "xlsx": use one of ndjson csv tsv parquet/,
  )
  t.regex(await refused('--format', 'parquet', '-'), /read from its end on: name the file/)
  t.regex(await refused('--mapping', mapping, 'a.ndjson'), /"a\.ndjson" is NDJSON/)
  t.regex(
    await refused('--mapping', mapping, 'a.csv'),
    /mapping\.json: kind "swaps": expected one of swap/,
  )
  t.regex(await refused('--mapping', join(folder, 'absent'), 'a.csv'), /ENOENT/)
})

test('an interrupted run counts the files that it did not read', async (t) => {
  const settings = settingsOf(await openPipeline(t))
  const files = ['a.ndjson', 'b.car', 'c.csv']
  const ran = await runHere(['ingest', '--json', ...files], settings, '', AbortSignal.abort())
  t.is(ran.code, 1, ran.stderr)
  t.like(JSON.parse(ran.stdout), { published: 0, unread_files: files.length })
})
