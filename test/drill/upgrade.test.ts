/**
 * Upgrades from the package of an earlier version to that of this one, as docs/operations.md describes: of `up` over a home with
 * data, and of parts under load, which are replaced one by one and run side by side on one database.
 *
 * `npm run drill:upgrade` comes from another commit with DRILL_UPGRADE_FROM.
 */
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import type { Db } from '../../sql/db.ts'
import { migrate } from '../../sql/migrate.ts'
import { ensureTopology } from '../../streams/nats/topology.ts'
import { finished, settingsOf, startCommand } from '../support/programs/commands.ts'
import { unmigratedDatabase } from '../support/servers/database.ts'
import { temporaryFolder } from '../support/servers/servers.ts'
import { verifiedHashes } from '../support/verify/hashes.ts'
import { openPipeline, until } from '../support/workers/pipeline.ts'
import { EARLIER, makePackages, type Packages, whyNotRunnable } from './earlier-version.ts'
import { upgradeHome } from './home-upgrade.ts'
import { hashesOfOneProcess, identitiesOf, Load, untilAllCaughtUp } from './load.ts'
import { type ApiPart, isReady, type Part, startApi, startPart } from './part.ts'
import { assertEachOnce, keyOf, openReaders } from './readers.ts'
import { readRest } from './rest-reader.ts'

const REASON = whyNotRunnable()
const SEED = 20_261_128
const SWAPS_A_SECOND = 300
/** Milliseconds for which a stage runs after its part is ready. */
const STAGE_MS = 4_000
const READY_MS = 120_000
const CATCH_UP_MS = 300_000
const PATHS = [
  '/swaps?limit=100',
  '/trending',
  '/api/v1/stats',
  '/v2/pnl/leaderboard/top',
  '/pool-events?limit=20',
  '/api/v1/top-movers?timeframe=1h',
  '/screener',
]

type Settings = Readonly<Record<string, string>>
/** Texts that a part logs once it has started. */
const STARTED: Readonly<Record<string, RegExp>> = {
  worker: /"started worker"/,
  jobs: /"started job worker"/,
}

let packages: Packages

test.before('make the packages', () => {
  if (REASON === undefined) packages = makePackages()
})

test.after.always('remove the packages', () => packages?.remove())

const upgrade = REASON === undefined ? test : test.skip
const alone = REASON === undefined ? test.serial : test.serial.skip
const SKIPPED = REASON === undefined ? '' : ` (skipped: ${REASON})`

alone(`up of the next package goes on with the home of the one before${SKIPPED}`, async (t) => {
  t.timeout(1_800_000)
  await upgradeHome(t, packages)
})

/** A key that the earlier program makes, before the database is migrated. */
async function earlierKey(
  settings: Readonly<Record<string, string>>,
  earlier: string,
): Promise<string> {
  const argv = ['keys', 'create', '--tier', 'enterprise', '--env', 'test']
  const { code, stdout, stderr } = await finished(startCommand(argv, settings, earlier))
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}

upgrade(`no swap and no answer is lost while each part is replaced${SKIPPED}`, async (t) => {
  t.timeout(1_800_000)
  const earlier = packages.install(packages.earlier, 'earlier')
  const newer = packages.install(packages.newer, 'newer')
  const { pipeline, settings } = await openEarlier(t, earlier)
  const epoch = pipeline.topology.feed.epoch
  const workers = [0, 1].map(() => startPart(t, ['worker'], settings, earlier))
  const jobs = startPart(t, ['jobs'], settings, earlier)
  const apis = await Promise.all([0, 1].map(() => startApi(t, settings, { program: earlier })))
  await untilRunning([...workers, jobs, ...apis])
  const key = await earlierKey(settings, earlier)
  const readers = openReaders(t, apis, key, `${epoch}-0`)
  const rest = readRest(t, { ports: apis.map(({ port }) => port), key, paths: PATHS })
  const load = new Load(pipeline, { seed: SEED, swapsASecond: SWAPS_A_SECOND })
  const loading = load.run()
  await pause(STAGE_MS)

  const beganAt = performance.now()
  const migrated = await finished(startCommand(['migrate'], settings, newer))
  t.is(migrated.code, 0, migrated.stderr)
  const replaced: Part[] = []
  // Each part of either version meets both versions of all others.
  for (const which of [workers[0], apis[0], workers[1], jobs, apis[1]]) {
    if (which === undefined) throw new Error('an installation has two of each')
    replaced.push(await replace(t, which, settings, newer))
    await pause(STAGE_MS)
  }
  const seconds = (performance.now() - beganAt) / 1_000
  load.stop()
  const published = await loading
  const explained = replaced.map((part) => `--- ${part.name}\n${part.said()}`).join('\n')
  await untilAllCaughtUp(pipeline, CATCH_UP_MS)

  const topology = await ensureTopology(pipeline.jetStream, pipeline)
  t.is(topology.feed.epoch, epoch)
  const expected = identitiesOf(published)
  await assertEachOnce(t, pipeline, readers, expected, {
    boundMs: CATCH_UP_MS,
    explained: () => explained,
  })
  await rest.stop()
  t.deepEqual(rest.failed, [])
  t.deepEqual(
    [...workers, jobs, ...apis, ...replaced].flatMap(({ unexpected }) => unexpected),
    [],
    explained,
  )
  const hashes = await verifiedHashes(t, pipeline, { hint: explained })
  t.deepEqual(hashes, await hashesOfOneProcess(t, published, CATCH_UP_MS))
  const counted = (counts: ReadonlyMap<unknown, number>) =>
    [...counts].map(([what, count]) => `${count} ${what}`).join(', ') || 'none'
  t.log(`${expected.size} swaps, upgraded in ${seconds.toFixed(1)} s from ${EARLIER}`)
  t.log(`REST: ${counted(rest.answered)}; tried again: ${counted(rest.retried)}`)
})

/** An empty database that the earlier version has migrated, and the settings of its parts. */
async function openEarlier(t: ExecutionContext, earlier: string) {
  const pipeline = await openPipeline(t, { database: await unmigratedDatabase() })
  const settings = { ...settingsOf(pipeline), LOG_LEVEL: 'info' }
  const { code, stderr } = await finished(startCommand(['migrate'], settings, earlier))
  t.is(code, 0, stderr)
  return { pipeline, settings }
}

/** Stops a part of the earlier version and starts one of this version in its place. */
async function replace(
  t: ExecutionContext,
  old: Part | ApiPart,
  settings: Settings,
  program: string,
): Promise<Part> {
  await old.stop()
  const next =
    'port' in old
      ? await startApi(t, settings, { ports: old, program })
      : startPart(t, [old.name], settings, program)
  await untilRunning([next])
  return next
}

async function untilRunning(parts: readonly (Part | ApiPart)[]): Promise<void> {
  const isRunning = (part: Part | ApiPart) =>
    'port' in part ? isReady(part.port) : STARTED[part.name]?.test(part.said()) === true
  for (const part of parts) {
    await until(`"${part.name}" runs`, READY_MS, () => isRunning(part)).catch((cause: Error) => {
      throw new Error(`${cause.message}\n${part.said()}`, { cause })
    })
  }
}

/** Refusals that a reader may meet there on a busy machine: no connection is free, or none was made in time. */
const SHED: readonly string[] = [
  '503 no connection to the database is free: try again',
  '503 the database cannot be reached: try again',
]

test('parts go on alongside a wider schema, and hold up a removal until they have ended', async (t) => {
  t.timeout(1_800_000)
  const pipeline = await openPipeline(t)
  const settings = { ...settingsOf(pipeline), LOG_LEVEL: 'info' }
  const [migrations, names] = await openLaterSchema(t, pipeline.db)
  const workers = [0, 1].map(() => startPart(t, ['worker'], settings))
  const jobs = startPart(t, ['jobs'], settings)
  const api = await startApi(t, settings)
  await untilRunning([...workers, jobs, api])
  const key = await keyOf(pipeline)
  const readers = openReaders(t, [api], key, `${pipeline.topology.feed.epoch}-0`)
  const rest = readRest(t, { ports: [api.port], key, paths: PATHS })
  const load = new Load(pipeline, { seed: SEED, swapsASecond: SWAPS_A_SECOND })
  const loading = load.run()
  await pause(STAGE_MS)

  const expanded = await migrate(pipeline.db, () => {}, migrations)
  t.is(expanded.applied[0], names.expand)
  t.regex(expanded.waiting ?? '', /^9001_contract_later.sql waits for parts of an older version/)
  for (const part of ['swaptide api/', 'swaptide jobs/', `-${workers[0]?.pid()}-`])
    t.true(expanded.waiting?.includes(part), part)
  // Other sessions than those that prepared their statements before.
  const [first] = workers
  await first?.stop()
  first?.start()
  await pause(STAGE_MS)
  load.stop()
  const published = await loading
  await untilAllCaughtUp(pipeline, CATCH_UP_MS)
  await assertEachOnce(t, pipeline, readers, identitiesOf(published), {
    boundMs: CATCH_UP_MS,
    explained: () => workers.map(({ saidOfLanes }) => saidOfLanes()).join('\n'),
  })
  await rest.stop()
  t.true(rest.answered.has(200))
  t.deepEqual(rest.failed, [])
  // On a busy machine the API sheds load; no connection was lost, and no query failed.
  const unexpected = [...rest.retried.keys()].filter((reason) => !SHED.includes(reason))
  t.deepEqual(unexpected, [])
  const hashes = await verifiedHashes(t, pipeline)

  const parts = [...workers, jobs, api]
  for (const part of parts.slice(1)) await part.stop()
  t.regex((await migrate(pipeline.db, () => {}, migrations)).waiting ?? '', /^9001_contract_later/)
  await first?.stop()
  await until('the last part has ended', READY_MS, async () => {
    const contracted = await migrate(pipeline.db, () => {}, migrations)
    return contracted.applied[0] === names.contract
  })
  t.deepEqual(
    parts.flatMap(({ unexpected }) => unexpected),
    [],
    parts.map((part) => part.said()).join('\n'),
  )
  for (const argv of [['worker'], ['jobs'], ['api']]) {
    const { code, stderr } = await finished(startCommand(argv, { ...settings, PORT: '0' }))
    t.is(code, 1)
    t.regex(stderr, /a newer version removed parts of the schema that this one uses: 9001_contract/)
  }
  t.deepEqual(await verifiedHashes(t, pipeline), hashes)
  t.deepEqual(hashes, await hashesOfOneProcess(t, published, CATCH_UP_MS))
})

/** The schema of two later versions: one that adds a column to every table, and one that removes them. */
async function openLaterSchema(t: ExecutionContext, db: Db) {
  const folder = await temporaryFolder(t)
  for (const part of ['migrations', 'functions'])
    await cp(new URL(`../../sql/${part}`, import.meta.url), join(folder, part), { recursive: true })
  const { rows } = await db.query<{ name: string }>(
    `select relname as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'migration'`,
  )
  const names = { expand: '9000_later.sql', contract: '9001_contract_later.sql' }
  const write = (name: string, change: string) => {
    const statements = rows.map((table) => `alter table ${table.name} ${change};\n`)
    return writeFile(join(folder, 'migrations', name), `-- Made up.\n${statements.join('')}`)
  }
  await write(names.expand, 'add column later integer not null default 7')
  await write(names.contract, 'drop column later')
  return [pathToFileURL(`${folder}/`), names] as const
}
