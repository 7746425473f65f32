/**
 * `swaptide export` of a market of all venues, with real swaps and the extremes of int64: DuckDB computes candles,
 * positions and a ranking from the exported swaps and finds no difference to the exported tables, which are what REST
 * answers.
 *
 * A larger run, by hand: EXPORT_SWAPS=1000000 node test/support/run.ts test/deploy/export/export.test.ts
 */
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { parse as parseCsv } from 'csv-parse/sync'
import { position } from '../../../api/resources/pnl/schema.ts'
import { makeRanking } from '../../../workers/jobs/leaderboard.ts'
import { type Duck, openDuck } from '../../support/deploy/duck.ts'
import {
  candleDifferences,
  leaderboardDifferences,
  positionDifferences,
} from '../../support/deploy/export-sums.ts'
import {
  filledPipeline,
  type Json,
  linesOf,
  manifestOf,
  REAL_SWAPS,
  readerOf,
  swapsOfRun,
} from '../../support/deploy/exported.ts'
import { finished, settingsOf, startCommand } from '../../support/programs/commands.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'

const SWAPS = swapsOfRun()
/** NDJSON and CSV are compared in this process. */
const IS_LARGE = SWAPS > 100_000
const TABLES = ['swaps', 'candles', 'positions', 'lots', 'leaderboard']
const HOUR_MS = 3_600_000
/** Subjects of each kind whose rows are compared with REST. */
const SUBJECTS = 25
const PAGE = 1_000
/** Pages of swaps that are compared with REST. */
const PAGES_MAX = 25

type Export = (folder: string, ...options: string[]) => Promise<void>

test('exports what REST answers, and what DuckDB computes from the swaps', async (t) => {
  t.timeout(60_000 + SWAPS * 3)
  const files = existsSync(REAL_SWAPS) ? [fileURLToPath(REAL_SWAPS)] : []
  const pipeline = await filledPipeline(t, SWAPS, files)
  const folder = await temporaryFolder(t)
  const settings = settingsOf(pipeline)
  const exportInto: Export = async (name, ...options) => {
    const path = join(folder, name)
    const child = startCommand(['export', '--output', path, ...options], settings)
    const peakOf = watchMemory(child)
    const { code, stdout, stderr } = await finished(child)
    t.log(`${stderr.trim()}, at most ${peakOf()} in memory`)
    t.is(code, 0, stderr)
    t.is(stdout.trim().split('\n').at(-1), join(path, 'manifest.json'))
  }
  const duck = await openDuck(t)
  const ranking = ['--period', '90d', '--pnl-mode', 'raw', '--with-arbitrage']
  await exportInto('parquet', ...ranking)
  await exportInto('hours', '--what', 'swaps,candles,leaderboard', '--timeframe', '1h')
  await assertComputed(t, duck, folder)
  await assertSnippets(t, duck, join(folder, 'parquet'))
  await assertManifest(t, join(folder, 'parquet'), SWAPS)
  const read = await readerOf(t, pipeline)
  await assertRest(t, read, rowsOf(duck, join(folder, 'parquet')))
  // Stored by the job, by other statements than the export's.
  for (const period of ['7d', '90d'] as const) {
    t.true(await makeRanking(pipeline.db, period, { directRowsMax: 0 }))
  }
  await assertRanks(t, read, rowsOf(duck, join(folder, 'hours')), '')
  const raw = 'period=90d&pnl_mode=raw&exclude_arbitrage=false&'
  await assertRanks(t, read, rowsOf(duck, join(folder, 'parquet')), raw)
  if (IS_LARGE) return
  await exportInto('again', ...ranking)
  t.deepEqual(
    (await manifestOf(join(folder, 'again'))).files,
    (await manifestOf(join(folder, 'parquet'))).files,
    'two exports of one history are equal, byte for byte',
  )
  await exportInto('ndjson', '--format', 'ndjson', ...ranking)
  await exportInto('csv', '--format', 'csv', ...ranking)
  for (const table of TABLES) await assertSameRows(t, duck, folder, table)
})

/** The greatest resident size that Linux has noted of a process so far, as it prints it. */
function watchMemory({ pid }: ChildProcess): () => string {
  let seen = 'unknown'
  const timer = setInterval(() => {
    const status = existsSync(`/proc/${pid}/status`)
      ? readFileSync(`/proc/${pid}/status`, 'utf8')
      : ''
    seen = /^VmHWM:\s*(.+)$/m.exec(status)?.[1] ?? seen
  }, 100)
  return () => {
    clearInterval(timer)
    return seen
  }
}

async function assertComputed(t: ExecutionContext, duck: Duck, folder: string): Promise<void> {
  const whole = join(folder, 'parquet')
  const hours = join(folder, 'hours')
  const counted = {
    minutes: await duck(candleDifferences(whole, 60_000)),
    hours: await duck(candleDifferences(hours, HOUR_MS)),
    positions: await duck(positionDifferences(whole)),
    leaderboard: await duck(leaderboardDifferences(whole, 90)),
  }
  for (const [name, [row]] of Object.entries(counted)) {
    t.log(`${name}: ${row?.rows} rows, ${row?.differing} differing`)
    t.true((row?.rows as bigint) > 50n, name)
    t.is(row?.differing, 0n, name)
  }
  t.true((counted.positions[0]?.uncovered as bigint) > 0n, 'some sold more than they bought')
  const [beyond] = await duck(
    `select max(buys_lamports) as most from '${join(whole, 'positions.parquet')}'`,
  )
  t.true((beyond?.most as bigint) > 2n ** 63n, 'sums pass int64')
}

/** The queries of the guide page answer. */
async function assertSnippets(t: ExecutionContext, duck: Duck, folder: string): Promise<void> {
  const page = await readFile(new URL('../../../docs/export.md', import.meta.url), 'utf8')
  const queries = Array.from(page.matchAll(/```sql\n(.+?)```/gs), ([, sql = '']) => sql)
  t.is(queries.length, 3)
  for (const sql of queries) {
    const rows = await duck(sql.replaceAll("'export/", `'${folder}/`))
    t.true(rows.length > 0, sql)
  }
}

async function assertManifest(t: ExecutionContext, folder: string, swaps: number): Promise<void> {
  const { files, snapshot, options } = await manifestOf(folder)
  t.deepEqual(
    files.map(({ table }) => table),
    TABLES,
  )
  for (const { name, bytes, sha256 } of files) {
    const content = await readFile(join(folder, name))
    t.is(content.length, bytes, name)
    t.is(createHash('sha256').update(content).digest('hex'), sha256, name)
  }
  t.is(files[0]?.rows, snapshot.swaps as number)
  t.true((snapshot.swaps as number) >= swaps)
  t.is(snapshot.positions_to_recompute, 0)
  t.deepEqual([...new Set(snapshot.lanes.map(({ actor }) => actor))], ['ledger', 'pool'])
  t.is(options.timeframe, '1m')
  const leg = files[0]?.columns.find(({ name }) => name === 'sol_amount')
  t.deepEqual(leg, {
    ...{ name: 'sol_amount', type: 'int64', nullable: false },
    description: 'SOL leg, lamports',
  })
}

/** Parquet as DuckDB reads it, NDJSON and CSV: the same rows in the same order. */
async function assertSameRows(
  t: ExecutionContext,
  duck: Duck,
  folder: string,
  table: string,
): Promise<void> {
  const rows = await duck(`select * from '${join(folder, 'parquet', table)}.parquet'`)
  const lines = await linesOf(join(folder, 'ndjson'), table)
  const csv = await readFile(join(folder, 'csv', `${table}.csv`), 'utf8')
  const cells = parseCsv(csv, { columns: true }) as Record<string, string>[]
  t.is(lines.length, rows.length, table)
  t.is(cells.length, rows.length, table)
  const different = rows.filter((row, at) => {
    const line = lines[at] ?? ''
    const cell = cells[at] ?? {}
    return lineOf(row) !== line || Object.keys(row).some((name) => textOf(row[name]) !== cell[name])
  })
  t.deepEqual(different.slice(0, 2), [], table)
}

const lineOf = (row: Json): string =>
  `{${Object.entries(row).map(([name, value]) => `"${name}":${jsonOf(value)}`)}}`
const jsonOf = (value: unknown): string =>
  typeof value === 'bigint' ? String(value) : JSON.stringify(value)
const textOf = (value: unknown): string => {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

type Read = (path: string) => Promise<Json>
/** Rows of an exported table, numbers as REST's reader has them. */
type Rows = (table: string, clause?: string, list?: string) => Promise<Json[]>

function rowsOf(duck: Duck, folder: string): Rows {
  return async (table, clause = '', list = '*') => {
    const rows = await duck(`select ${list} from '${join(folder, table)}.parquet' ${clause}`)
    return rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, near(value)])),
    )
  }
}

const near = (value: unknown): unknown =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value

async function assertRest(t: ExecutionContext, read: Read, rows: Rows): Promise<void> {
  const listed = await listedSwaps(read)
  t.deepEqual(listed, await rows('swaps', `limit ${listed.length}`))
  for (const pair of await subjects(rows, 'candles', 'pair_address')) {
    const { data } = await read(`/api/v1/candles?pair_address=${pair}&timeframe=1m&limit=5000`)
    const own = await rows('candles', `where pair_address = '${pair}'`)
    t.deepEqual(data, own.slice(-5_000), `candles of ${pair}`)
  }
  for (const wallet of await subjects(rows, 'positions', 'wallet')) {
    await assertPositions(t, read, rows, wallet)
  }
  for (const wallet of await subjects(rows, 'lots', 'wallet')) {
    await assertLots(t, read, rows, wallet)
  }
}

async function assertRanks(t: ExecutionContext, read: Read, rows: Rows, query: string) {
  const { leaderboard } = await read(`/v2/pnl/leaderboard/top?${query}limit=${PAGE}`)
  const ranks = await rows('leaderboard', `limit ${PAGE}`)
  t.true(ranks.length > 50)
  t.deepEqual(
    leaderboard,
    ranks.map(({ realized_lamports: _, ...rank }) => rank),
  )
}

async function assertPositions(t: ExecutionContext, read: Read, rows: Rows, wallet: string) {
  const own = await rows('positions', `where wallet = '${wallet}'`)
  const requested = `/v2/pnl/wallets/${wallet}/positions?status=all&limit=200&pnl_mode=raw`
  const answered: Json[] = []
  while (answered.length < own.length) {
    const { positions } = await read(`${requested}&offset=${answered.length}`)
    if (!Array.isArray(positions) || positions.length === 0) break
    answered.push(...positions)
  }
  const shown = Object.keys(answered[0] ?? {})
  // All but the breakdown, which the exact sums stand for.
  t.is(shown.length, Object.keys(position.properties).length - 1)
  const expected = own.map((row) => Object.fromEntries(shown.map((name) => [name, row[name]])))
  const byMint = (one: Json, other: Json) => (String(one.mint) < String(other.mint) ? -1 : 1)
  t.deepEqual(answered.toSorted(byMint), expected, wallet)
}

/** The largest position of a wallet, a page after the other. */
async function assertLots(t: ExecutionContext, read: Read, rows: Rows, wallet: string) {
  const all = await rows('lots', `where wallet = '${wallet}'`)
  const groups = [...Map.groupBy(all, ({ mint }) => mint)]
  const [mint, own = []] = groups.sort(([, one], [, other]) => other.length - one.length)[0] ?? []
  const answered: Json[] = []
  let cursor: unknown = ''
  while (cursor !== null) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`
    const page = await read(`/v2/pnl/wallets/${wallet}/positions/${mint}/lots?limit=1000${from}`)
    answered.push(...(page.lots as Json[]))
    cursor = page.next_cursor
  }
  t.deepEqual(
    answered,
    own.map(({ wallet: _, mint: __, ...lot }) => lot),
    `${wallet} ${mint}`,
  )
}

async function listedSwaps(read: Read): Promise<Json[]> {
  const listed: Json[] = []
  let cursor: unknown = ''
  for (let page = 0; page < PAGES_MAX && cursor !== null; page++) {
    const from = cursor === '' ? '' : `&cursor=${cursor}`
    const { data, next_cursor } = await read(`/swaps?order=asc&limit=${PAGE}${from}`)
    listed.push(...(data as Json[]))
    cursor = next_cursor
  }
  return listed
}

/** The keys with the most rows, and as many others. */
async function subjects(rows: Rows, table: string, key: string): Promise<string[]> {
  const order = `group by ${key} order by count(*) desc, ${key}`
  const counted = await rows(table, order, key)
  const step = Math.max(1, Math.floor(counted.length / SUBJECTS))
  const chosen = counted.filter((_, at) => at < SUBJECTS || at % step === 0)
  return chosen.map((row) => String(row[key]))
}
