/**
 * `swaptide backup` and `restore` on real servers: an installation is killed and its home deleted; restored and with its
 * input ingested again, it has the tables of one that lost nothing.
 */

import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { addCoverage, type ReadBlock } from '../../../../deploy/chain/coverage.ts'
import { runningStack } from '../../../../deploy/local/state.ts'
import { holdsWithin } from '../../../../deploy/local/waiting.ts'
import { listCoverage } from '../../../../sql/coverage.ts'
import { connect, type Db } from '../../../../sql/db.ts'
import { ACTOR_NAMES } from '../../../../workers/actors.ts'
import { homeSettings, pidOf, startUp, type Up } from '../../../support/deploy/started-up.ts'
import {
  finished,
  type Ran,
  runCommandLine,
  runHere,
  settingsOf,
  startCommand,
} from '../../../support/programs/commands.ts'
import { familyOf, remainingAfter } from '../../../support/programs/programs.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'
import { openPipeline } from '../../../support/workers/pipeline.ts'
import { spawnWorker } from '../../../support/workers/spawned-worker.ts'

const BOUND_MS = 60_000
const KEY_FILES = ['key', 'operator-key', 'webhook-key']

type Settings = Record<string, string>
type Verified = {
  clean: boolean
  tables: { name: string; stored: string; differences: string[] }[]
}

async function succeeds(argv: readonly string[], settings: Settings, input = ''): Promise<Ran> {
  const ran = await runCommandLine(argv, settings, input)
  if (ran.code !== 0) throw new Error(`${argv.join(' ')} ended with ${ran.code}: ${ran.stderr}`)
  return ran
}

const caughtUp = (settings: Settings): Promise<Ran> =>
  succeeds(['status', '--wait', '--timeout', '60'], settings)

/** The hashes of all tables, which must be the fold of their swaps. */
async function hashesOf(t: ExecutionContext, settings: Settings): Promise<Settings> {
  const { stdout, stderr } = await runCommandLine(['verify', '--json'], settings)
  const { clean, tables }: Verified = JSON.parse(stdout || `{"clean":false,"tables":[]}`)
  t.true(clean, `${stderr} ${tables.flatMap(({ differences }) => differences).join('\n')}`)
  return Object.fromEntries(tables.map(({ name, stored }) => [name, stored]))
}

/** The rows of an installation that lost nothing. */
async function hashesWithoutLoss(t: ExecutionContext, market: string): Promise<Settings> {
  const pipeline = await openPipeline(t)
  const worker = await spawnWorker(t, pipeline, { actors: ACTOR_NAMES })
  const settings = settingsOf(pipeline)
  await succeeds(['ingest', '-'], settings, market)
  await caughtUp(settings)
  const hashes = await hashesOf(t, settings)
  worker.signal('SIGTERM')
  await worker.ended
  return hashes
}

/** Ends the installation as a machine that is lost does: nothing is drained, nothing remains. */
async function lose(t: ExecutionContext, up: Up, home: string): Promise<void> {
  const family = familyOf(pidOf(up))
  up.child.kill('SIGKILL')
  await up.ended
  t.deepEqual(await remainingAfter(BOUND_MS, family), [])
  await rm(home, { recursive: true })
}

async function keysOf(home: string): Promise<string[]> {
  return await Promise.all(KEY_FILES.map((name) => readFile(join(home, name), 'utf8')))
}

async function marketLines(): Promise<string[]> {
  const { stdout } = await runHere(['simulate', '--stdout', '--swaps', '1500', '--seed', '761'])
  return stdout.split(/(?<=\n)/)
}

test('a home that was lost is restored, and ingesting again completes the tables of one that lost nothing', async (t) => {
  const settings = await homeSettings(t)
  const home = settings.SWAPTIDE_HOME ?? ''
  const folder = join(await temporaryFolder(t), 'monday')
  const lines = await marketLines()
  const market = lines.join('')
  const part = (from: number, to?: number): string => lines.slice(from, to).join('')
  const up = await startUp(t, settings, ['--no-demo'])
  const keys = await keysOf(home)
  await succeeds(['ingest', '-'], settings, part(0, 500))
  await caughtUp(settings)
  const sealed = await sealAll(settings)

  const key = { venues: 2, decoderVersion: 1, source: 'backfill', commitment: 'confirmed' }
  await withDatabase(home, (db) => addCoverage(db, key, { from: 1, to: 20 }, blocksOf(1, 20)))
  // The lanes commit while the database is copied.
  const meanwhile = finished(startCommand(['ingest', '-'], settings), part(500, 1_000))
  const backup = await succeeds(['backup', folder], settings)
  t.is((await meanwhile).code, 0)
  t.is(backup.stdout, `${join(folder, 'manifest.json')}\n`)
  t.regex(
    backup.stderr,
    /^[\d,]+ files, [\d,]+ bytes, in .+\nschema \d{4}\S+, all that was published up to 2\S+Z\n$/m,
  )
  for (const name of await readdir(join(folder, 'home'))) {
    t.is((await stat(join(folder, 'home', name))).mode & 0o777, 0o600, name)
  }
  t.is((await stat(folder)).mode & 0o777, 0o700)
  await succeeds(['ingest', '-'], settings, part(1_000))
  await caughtUp(settings)
  t.true((await sealAll(settings)) > sealed)
  await refusesWhereOneRuns(t, folder, settings)
  await lose(t, up, home)
  // State in which the source has read the other slots while the database was copied.
  await coverOnly(folder, 8)

  const restored = await succeeds(['restore', folder], settings)
  t.regex(restored.stdout, /^restored into .+\nstart it with "swaptide up", then ingest again/)
  const folders = ['logs', 'nats', 'postgres', 'redis']
  const isFolder = (name: string): boolean => folders.includes(name)
  const found = (await readdir(home)).filter((name) => !name.endsWith('.pid.json'))
  t.deepEqual(found.filter(isFolder).sort(), folders)
  t.deepEqual(found.filter((name) => !isFolder(name)).sort(), [...KEY_FILES, 'stack.json'].sort())
  t.regex((await succeeds(['recover', '--yes'], settings)).stdout, /^nothing to recover/m)
  const again = await startUp(t, settings, ['--no-demo'])
  t.deepEqual(await keysOf(home), keys)
  t.is(again.key, up.key)
  const count = 'select (select count(*) from swap) + (select sum(row_count) from segment)'
  const stored = await succeeds(['psql', '-At', '-c', count], settings)
  t.true(Number(stored.stdout) > sealed && Number(stored.stdout) < 1_500, stored.stdout)
  t.is(await sealedOf(settings), sealed)
  await withDatabase(home, async (db) => {
    t.deepEqual(await listCoverage(db), [{ ...key, from: 1, to: 8, swaps: 8 }])
    await addCoverage(db, key, { from: 1, to: 20 }, blocksOf(1, 20))
    t.deepEqual(await listCoverage(db), [{ ...key, from: 1, to: 20, swaps: 20 }])
  })
  await succeeds(['ingest', '-'], settings, market)
  await caughtUp(settings)
  t.deepEqual(await hashesOf(t, settings), await hashesWithoutLoss(t, market))
  t.is(await sealedOf(settings), sealed)
  await refusesWrongBackups(t, folder)
})

/** Seals all swaps, of which few must stay in the table; returns how many are sealed. */
async function sealAll(settings: Settings): Promise<number> {
  // A commit may not be published yet.
  const isSealed = async (): Promise<boolean> =>
    (await runHere(['history', 'seal', '--all'], settings)).code === 0
  if (!(await holdsWithin(BOUND_MS, isSealed))) throw new Error('not all swaps are sealed')
  return await sealedOf(settings)
}

/** The sealed swaps, each block of which is whole. */
async function sealedOf(settings: Settings): Promise<number> {
  const { stdout } = await succeeds(['history', 'verify', '--json'], settings)
  return (JSON.parse(stdout) as { swaps: number }).swaps
}

async function withDatabase<Result>(
  home: string,
  use: (db: Db) => Promise<Result>,
): Promise<Result> {
  const urls = await runningStack(home)
  const db = connect(urls?.databaseUrl ?? '', { max: 1 })
  return await use(db).finally(() => db.end())
}

/** One block with one swap in each slot. */
function blocksOf(from: number, to: number): ReadBlock[] {
  return Array.from({ length: to - from + 1 }, (_, at) => {
    return { slot: from + at, blockhash: `${from + at}a`, swaps: 1 }
  })
}

/** Shortens the one run of slots that the backup covers. */
async function coverOnly(folder: string, to: number): Promise<void> {
  const path = join(folder, 'manifest.json')
  const manifest = JSON.parse(await readFile(path, 'utf8'))
  const [run] = manifest.coverage
  const coverage = [{ ...run, to_slot: to, swaps: to }]
  await writeFile(path, JSON.stringify({ ...manifest, coverage }))
}

async function refusal(argv: readonly string[], settings: Settings): Promise<string> {
  const { code, stdout, stderr } = await runHere(argv, settings)
  return `${code} ${stdout}${stderr}`
}

async function refusesWhereOneRuns(t: ExecutionContext, folder: string, settings: Settings) {
  const home = settings.SWAPTIDE_HOME ?? ''
  t.regex(await refusal(['restore', folder], settings), /^1 swaptide: .+ is in use by process \d+/)
  t.regex(await refusal(['backup', folder], settings), /^1 .+ holds a backup already: name a new/)
  t.regex(await refusal(['backup', join(home, 'b')], settings), /^1 .+ would be lost with it/)
  const parent = await temporaryFolder(t)
  const [ended, killed] = [join(parent, 'ended'), join(parent, 'killed')]
  const stopped = await interrupted(t, ['backup', ended], settings, 'SIGTERM', [
    ended,
    /^postgres$/,
  ])
  t.deepEqual([stopped.code, stopped.stdout], [1, ''])
  t.regex(stopped.stderr, /^stopped: removed the partial copy$/m)
  t.deepEqual(await readdir(parent), [])
  const other = { ...settings, SWAPTIDE_HOME: ended }
  const undone = await interrupted(t, ['restore', folder], other, 'SIGTERM', [ended, /^restoring$/])
  t.deepEqual([undone.code, undone.stdout], [1, ''], undone.stderr)
  t.deepEqual(await readdir(parent), [])
  // The log is received by a process of its own, which the copy starts and which must end with it.
  const received = [join(killed, 'postgres', 'pg_wal'), /^[0-9A-F]{24}$/] as const
  await interrupted(t, ['backup', killed], settings, 'SIGKILL', received)
  t.false((await readdir(killed)).includes('manifest.json'))
  t.regex(
    await refusal(['restore', killed], { SWAPTIDE_HOME: ended }),
    /the backup was interrupted/,
  )
  t.regex(await refusal(['backup', killed], settings), /^1 .+ holds a backup that was interrupted/)
}

/** A command that ends by a signal as soon as a file of such a name is in a folder; no program of it remains. */
async function interrupted(
  t: ExecutionContext,
  argv: readonly string[],
  settings: Settings,
  signal: NodeJS.Signals,
  [folder, name]: readonly [string, RegExp],
): Promise<Ran> {
  const child = startCommand(argv, settings)
  const ran = finished(child)
  const hasBegun = async (): Promise<boolean> =>
    (await readdir(folder).catch((): string[] => [])).some((each) => name.test(each))
  t.true(await holdsWithin(BOUND_MS, hasBegun))
  const family = familyOf(child.pid ?? 0)
  child.kill(signal)
  const ended = await ran
  t.deepEqual(await remainingAfter(BOUND_MS, family), [])
  return ended
}

/** Each copy of the backup is wrong in one way; no refusal leaves anything in the home. */
async function refusesWrongBackups(t: ExecutionContext, whole: string): Promise<void> {
  const parent = await temporaryFolder(t)
  const home = join(parent, 'home')
  const manifest = JSON.parse(await readFile(join(whole, 'manifest.json'), 'utf8'))
  const written = (changed: object) => (folder: string) =>
    writeFile(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, ...changed }))
  const { program, database, listed } = manifest
  const wrong: [RegExp, (folder: string) => Promise<unknown>][] = [
    [
      /has no manifest\.json: it is not the folder of a backup/,
      (at) => rm(at, { recursive: true }),
    ],
    [/has no manifest\.json: .+ was interrupted/, (at) => rm(join(at, 'manifest.json'))],
    [/is not the manifest of a backup/, (at) => writeFile(join(at, 'manifest.json'), '{"a":')],
    [/is not the manifest of a backup/, written({ program: null })],
    [/is not the manifest of a backup/, written({ listed: {} })],
    [/is not the manifest of a backup/, written({ coverage: null })],
    [/is not the manifest of a backup/, written({ database: { postgres_version: '17' } })],
    [/"home\/stack\.json" is missing or not/, written({ listed: listed.slice(1) })],
    [
      /"home\/\.\.\/\.\.\/x" is missing or not/,
      written({ listed: [...listed, { ...listed[0], name: 'home/../../x' }] }),
    ],
    [/has the format 2 of backups, expected 1/, written({ backup_version: 2 })],
    [
      /has the schema "9999_later", which this version does not know/,
      written({ program: { ...program, schema: '9999_later' } }),
    ],
    [
      /is of PostgreSQL 16, expected 17/,
      written({ database: { ...database, postgres_version: '16' } }),
    ],
    [/has no room: 1,000,000,067,108,864 bytes are needed/, written({ bytes: 1e15 })],
    [/"postgres\/PG_VERSION" is missing or not/, (at) => rm(join(at, 'postgres/PG_VERSION'))],
    [
      /"postgres\/PG_VERSION" is missing or not/,
      (at) => writeFile(join(at, 'postgres/PG_VERSION'), '71\n'),
    ],
    [
      /"postgres\/backup_manifest" is missing or not/,
      (at) => writeFile(join(at, 'postgres/backup_manifest'), '{"Files":[]}'),
    ],
  ]
  for (const [expected, spoil] of wrong) {
    const folder = join(parent, 'backup')
    await cp(whole, folder, { recursive: true })
    await spoil(folder)
    const said = await refusal(['restore', folder], { SWAPTIDE_HOME: home })
    t.regex(said, expected)
    t.regex(said, /^1 swaptide: [^\n]+\n$/)
    await t.throwsAsync(stat(home), { code: 'ENOENT' }, said)
    await rm(folder, { recursive: true, force: true })
  }
  t.regex(
    await refusal(['restore', join(whole, 'manifest.json')], { SWAPTIDE_HOME: home }),
    /manifest\.json" has no manifest\.json: it is not the folder/,
  )
  await mkdir(join(home, 'restoring'), { recursive: true })
  t.regex(
    await refusal(['restore', whole], { SWAPTIDE_HOME: home }),
    /restore that was interrupted/,
  )
  t.regex(await refusal(['restore', whole], { SWAPTIDE_HOME: parent }), /is not empty: move its/)
  t.deepEqual(await readdir(home), ['restoring'])
}

test('backup and restore refuse servers that the environment names, and homes where nothing runs', async (t) => {
  const home = join(await temporaryFolder(t), 'home')
  const folder = join(home, '../backup')
  const servers = settingsOf(await openPipeline(t))
  t.regex(
    await refusal(['backup', folder], servers),
    /^1 .+"swaptide pg-basebackup" or "swaptide pg/,
  )
  t.regex(
    await refusal(['restore', folder], servers),
    /^1 .+ restore that server with its own tools/,
  )
  t.regex(await refusal(['backup', folder], { SWAPTIDE_HOME: home }), /^1 .+ nothing runs in/)
  for (const name of ['backup', 'restore']) {
    t.regex(await refusal([name], {}), /^2 swaptide: the folder is missing/)
    t.regex(await refusal([name, 'a', 'b'], {}), /^2 swaptide: unexpected argument "b"/)
  }
  await t.throwsAsync(stat(folder), { code: 'ENOENT' })
})
