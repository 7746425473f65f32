/**
 * Migrations and functions, applied to databases of their own from a copy of the SQL files that each test changes as a
 * later version would.
 */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { VENUES } from '../../domain/venue.ts'
import type { Db } from '../../sql/db.ts'
import { listPending, migrate } from '../../sql/migrate.ts'
import { unmigratedDatabase } from '../support/servers/database.ts'
import { until } from '../support/workers/pipeline.ts'

const SQL = new URL('../../sql/', import.meta.url)
const VENUE_NAMES = VENUES.map(({ name }) => name)

type Version = {
  db: Db
  migrations: string[]
  functions: string[]
  /** Applies the present files. */
  migrate(): Promise<string[]>
  /** Lists what would be applied. */
  pending(): Promise<string[] | undefined>
  write(path: string, text: string): Promise<void>
  read(path: string): Promise<string>
}

/** An empty database and a copy of the files of this version. */
async function openVersion(t: ExecutionContext): Promise<Version> {
  const { db, drop } = await unmigratedDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-sql-'))
  t.teardown(async () => {
    await drop()
    await rm(folder, { recursive: true })
  })
  const listed: string[][] = []
  for (const part of ['migrations', 'functions']) {
    await cp(new URL(part, SQL), join(folder, part), { recursive: true })
    listed.push((await readdir(join(folder, part))).sort())
  }
  const [migrations = [], functions = []] = listed
  const url = pathToFileURL(`${folder}/`)
  return {
    db,
    migrations,
    functions: functions.map((name) => `functions/${name}`),
    migrate: async () => {
      const { applied, waiting } = await migrate(db, () => {}, url)
      return waiting === undefined ? applied : [...applied, waiting]
    },
    pending: async () => {
      const pending = await listPending(db, url)
      const files = pending?.files.map(({ phase, path, about }) => `${phase} ${path} ${about}`)
      return pending?.waiting === undefined ? files : [...(files ?? []), pending.waiting]
    },
    write: (path, text) => writeFile(join(folder, path), text),
    read: (path) => readFile(join(folder, path), 'utf8'),
  }
}

async function readValue(db: Db, text: string): Promise<unknown> {
  const { rows } = await db.query(`select (${text}) as value`)
  return rows[0].value
}

const tableExists = (db: Db, name: string): Promise<unknown> =>
  readValue(db, `to_regclass('${name}') is not null`)

test('applies all migrations, then all functions to an empty database, and none the second time', async (t) => {
  const version = await openVersion(t)
  t.true(version.migrations.length > 5)
  t.true(version.functions.length > 5)
  t.deepEqual(await version.migrate(), [
    ...version.migrations,
    ...version.functions,
    ...VENUE_NAMES,
  ])
  t.deepEqual(await version.migrate(), [])
})

test('processes that migrate at once apply each file once', async (t) => {
  const version = await openVersion(t)
  const applied = await Promise.all([version.migrate(), version.migrate(), version.migrate()])
  t.deepEqual(applied.flat(), [...version.migrations, ...version.functions, ...VENUE_NAMES])
})

test('a function file is applied again when its text changed, and no other is', async (t) => {
  const version = await openVersion(t)
  const { db } = version
  const path = 'functions/token_traders.sql'
  await version.migrate()
  t.is(await readValue(db, 'estimated_traders(7, null)'), 7)
  const text = await version.read(path)
  await version.write(path, text.replace('then found', 'then found + 1'))
  t.deepEqual(await version.migrate(), [path])
  t.is(await readValue(db, 'estimated_traders(7, null)'), 8)
  t.deepEqual(await version.migrate(), [])
  await version.write(path, text)
  t.deepEqual(await version.migrate(), [path])
  t.is(await readValue(db, 'estimated_traders(7, null)'), 7)
})

test('a venue that differs from the program is written again, and no other is', async (t) => {
  const version = await openVersion(t)
  const { db } = version
  await version.migrate()
  const stored = 'select json_agg(venue order by dex) from venue'
  const before = await readValue(db, stored)
  await db.query('update venue set missing_lamports = missing_lamports + 1')
  await db.query('update venue set has_reserves = true where not has_reserves')
  t.notDeepEqual(await readValue(db, stored), before)
  t.deepEqual(await version.migrate(), ['venue_2', 'venue_10'])
  t.deepEqual(await readValue(db, stored), before)
})

test('recreates functions that a migration drops', async (t) => {
  const version = await openVersion(t)
  await version.migrate()
  const [name, cascades] = [
    '9000_drop.sql',
    'drop function estimated_traders(bigint, integer) cascade;',
  ]
  await version.write(`migrations/${name}`, `-- market_traders() depends on it.\n${cascades}\n`)
  t.deepEqual(await version.migrate(), [name, ...version.functions])
  t.is(await readValue(version.db, 'market_traders(5)'), 0)
})

test('a version whose functions do not apply leaves the schema unchanged', async (t) => {
  const version = await openVersion(t)
  const { db } = version
  await version.migrate()
  await version.write(
    'migrations/9000_later.sql',
    '-- A table.\ncreate table later (id integer);\n',
  )
  await version.write('functions/later.sql', '-- No function.\nselect no_such_function();\n')
  await t.throwsAsync(version.migrate(), { code: '42883' })
  t.false(await tableExists(db, 'later'))
  t.is(await readValue(db, 'select count(*)::integer from migration'), version.migrations.length)
  await version.write('functions/later.sql', '-- Nothing.\n')
  t.deepEqual((await version.migrate()).slice(0, 1), ['9000_later.sql'])
  t.true(await tableExists(db, 'later'))
})

test('refuses a database of an earlier numbering with the remedy', async (t) => {
  const version = await openVersion(t)
  const { db } = version
  await version.migrate()
  await db.query('delete from migration')
  await db.query(`insert into migration (name, checksum) values
    ('0001_swaps.sql', 'a'), ('0005_candles.sql', 'b'), ('0064_lost_messages.sql', 'c')`)
  await t.throwsAsync(version.migrate(), {
    message:
      'the database was migrated by a newer version, or by one that was never released: its migration "0001_swaps.sql" does ' +
      'not exist in this one: start that version, restore a backup that this one made, or begin with a new SWAPTIDE_HOME ' +
      'or an empty database and ingest the events again',
  })
  t.is(await readValue(db, 'select count(*)::integer from migration'), 3)
})

test('a migration that was edited after it was applied is refused', async (t) => {
  const version = await openVersion(t)
  await version.migrate()
  const path = `migrations/${version.migrations[2]}`
  await version.write(path, `${await version.read(path)}\ncreate table later (id integer);\n`)
  await t.throwsAsync(version.migrate(), { message: /was edited after it was applied: restore/ })
  t.false(await tableExists(version.db, 'later'))
})

test('does not change a database of a newer version', async (t) => {
  const version = await openVersion(t)
  const path = 'functions/token_traders.sql'
  await version.migrate()
  await version.db.query(`insert into migration (name, checksum) values ('9000_later.sql', 'a')`)
  await version.write(path, (await version.read(path)).replace('then found', 'then found + 1'))
  t.deepEqual(await version.migrate(), [])
  t.is(await readValue(version.db, 'estimated_traders(7, null)'), 7)
})

test('refuses to migrate a database from which a newer version removed something', async (t) => {
  const version = await openVersion(t)
  await version.migrate()
  await version.db.query(
    `insert into migration (name, checksum) values ('9000_later.sql', 'a'), ('9001_contract_later.sql', 'b')`,
  )
  const message =
    /^a newer version removed parts of the schema that this one uses: 9001_contract_later.sql: start the newer/
  await t.throwsAsync(version.migrate(), { message })
  await t.throwsAsync(version.pending(), { message })
})

test('lists what it would apply, by the first sentence of each file, and changes nothing', async (t) => {
  const version = await openVersion(t)
  const { db } = version
  const all = await version.pending()
  t.is(all?.length, version.migrations.length + version.functions.length)
  t.true(
    all?.every((line) =>
      /^(contract \d+_contract_|expand (?!\d+_contract_))\S+\.sql \S.*[.:]$/.test(line),
    ),
    all?.join('\n'),
  )
  t.false(await tableExists(db, 'migration'))
  await version.migrate()
  t.deepEqual(await version.pending(), [])
  await version.write(
    'migrations/9000_later.sql',
    '-- A table for later. It is\n-- empty.\ncreate table later (id integer);\n',
  )
  t.is((await version.pending())?.[0], 'expand 9000_later.sql A table for later.')
  t.false(await tableExists(db, 'later'))
  await version.migrate()
  await db.query(`insert into migration (name, checksum) values ('9001_newer.sql', 'a')`)
  t.is(await version.pending(), undefined)
})

/** A session of a part with the name, until it is ended. */
async function openPart(t: ExecutionContext, db: Db, name: string): Promise<() => Promise<void>> {
  const part = new pg.Client({
    connectionString: String(db.options.connectionString),
    application_name: name,
  })
  await part.connect()
  let ending: Promise<void> | undefined
  const end = () => {
    ending ??= part.end()
    return ending
  }
  t.teardown(end)
  return end
}

test('applies a removal once no part of an older version is connected or was seen lately', async (t) => {
  const version = await openVersion(t)
  const { db } = version
  await version.migrate()
  await version.write(
    'migrations/9000_later.sql',
    '-- A table.\ncreate table later (id integer);\n',
  )
  const [name, text] = ['9001_contract_later.sql', '-- No version uses it.\ndrop table later;\n']
  await version.write(`migrations/${name}`, text)
  // The first is of a version before sessions had numbers, the last of one that has the removal.
  const ends = []
  for (const part of ['swaptide api', 'swaptide jobs/9000', 'swaptide api/9001'])
    ends.push(await openPart(t, db, part))
  await db.query(
    `insert into worker (id, actors, seen_at)
     values ('host-1-abc/9000', '{}', now()), ('host-2', '{}', now() - interval '2 minutes')`,
  )
  const waiting = (parts: string) =>
    `${name} waits for parts of an older version to end: ${parts}: migrate again then`
  const all = waiting('"host-1-abc/9000", "swaptide api", "swaptide jobs/9000"')
  t.deepEqual((await version.pending())?.slice(-1), [all])
  const applied = await version.migrate()
  t.deepEqual([applied[0], applied.at(-1)], ['9000_later.sql', all])
  t.true(await tableExists(db, 'later'))

  await version.write('migrations/9002_next.sql', '-- A table.\ncreate table next (id integer);\n')
  await t.throwsAsync(version.migrate(), {
    message: /and this version needs 9002_next.sql after it: stop them first, or upgrade to each/,
  })
  await db.query('delete from worker')
  for (const end of ends) await end()
  await untilAlone(db)
  t.is((await version.pending())?.[0], `contract ${name} No version uses it.`)
  t.deepEqual((await version.migrate()).slice(0, 2), [name, '9002_next.sql'])
  t.false(await tableExists(db, 'later'))
})

/** The server notices the end of a session a moment later. */
const untilAlone = (db: Db): Promise<void> =>
  until('no part is connected', 60_000, async () => {
    const others = `select count(*)::integer from pg_stat_activity
      where datname = current_database() and application_name ~ '^swaptide (api|jobs)'`
    return (await readValue(db, others)) === 0
  })

test('gives way to others while a table is locked, and applies when it is free', async (t) => {
  const version = await openVersion(t)
  const { db } = version
  await version.migrate()
  const reader = await db.connect()
  t.teardown(() => reader.release(true))
  await reader.query('begin')
  await reader.query('select from api_usage')
  await version.write(
    'migrations/9000_wider.sql',
    '-- A column.\nalter table api_usage add wide integer;\n',
  )
  const migrating = version.migrate()
  const isWaiting = `exists (
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
  )`
  for (const expected of [true, false, true]) {
    await until(
      `waits is ${expected}`,
      60_000,
      async () => (await readValue(db, isWaiting)) === expected,
    )
  }
  await reader.query('commit')
  t.is((await migrating)[0], '9000_wider.sql')
  t.is(await readValue(db, `select count(wide)::integer from api_usage`), 0)
})
