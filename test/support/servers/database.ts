/**
 * A migrated database of its own for each test file: cloned from a template that the first one makes.
 * And a stream prefix of its own.
 */
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { connect, type Db } from '../../../sql/db.ts'
import { migrate } from '../../../sql/migrate.ts'
import { testServers } from './servers.ts'

export type TestDatabase = { databaseUrl: string; db: Db; drop(): Promise<void> }

/** A copy of the tree with another schema, as the test of the recipes makes, uses the same server. */
const TEMPLATE = `swaptide_template_${hashOfSchema()}`
/** One of all test files of a run makes the template. */
const TEMPLATE_LOCK = 7305941622

/** A migrated database without rows, on the shared server unless another is given. `drop` removes it. */
export function testDatabase(server = testServers().databaseUrl): Promise<TestDatabase> {
  return makeDatabase(server, async (client, name) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    await makeTemplate(server, client)
    // Copied file by file: a third of the CPU of a copy by way of the log.
    await client.query(`create database ${name} template ${TEMPLATE} strategy file_copy`)
  })
}

/** A database on the shared server that was never migrated. */
export function unmigratedDatabase(): Promise<TestDatabase> {
  return makeDatabase(testServers().databaseUrl, async (client, name) => {
    await client.query(`create database ${name}`)
  })
}

async function makeDatabase(
  server: string,
  create: (client: pg.Client, name: string) => Promise<void>,
): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  await withClient(server, (client) => create(client, name))
  const databaseUrl = withDatabase(server, name)
  const db = connect(databaseUrl, {
    ...{ max: 20, applicationName: 'swaptide-test' },
    connectMs: 60_000,
  })
  return {
    databaseUrl,
    db,
    async drop() {
      await db.end()
      await withClient(server, async (client) => {
        await client.query(`drop database if exists ${name} with (force)`)
      })
    },
  }
}

/** A stream prefix that no other test has. */
export function testPrefix(): string {
  return `t${randomUUID().replaceAll('-', '').slice(0, 12)}.`
}

/** The files that `migrate` applies, in sixteen digits. */
function hashOfSchema(): string {
  const hash = createHash('sha256')
  for (const folder of ['migrations', 'functions']) {
    const files = new URL(`../../../sql/${folder}/`, import.meta.url)
    for (const name of readdirSync(files).toSorted()) {
      hash.update(name).update(readFileSync(new URL(name, files)))
    }
  }
  return hash.digest('hex').slice(0, 16)
}

async function makeTemplate(server: string, client: pg.Client): Promise<void> {
  const found = await client.query('select from pg_database where datname = $1', [TEMPLATE])
  if (found.rowCount !== 0) return
  const building = `${TEMPLATE}_building`
  await client.query(`drop database if exists ${building} with (force)`)
  await client.query(`create database ${building}`)
  const db = connect(withDatabase(server, building), { max: 1 })
  await migrate(db)
  // A background worker of TimescaleDB in a template would forbid cloning it.
  await db.query('select _timescaledb_functions.stop_background_workers()')
  await db.end()
  // Nor may any other program of the server visit it: its launcher looks in now and then.
  await client.query(`alter database ${building} with allow_connections false`)
  await client.query(`alter database ${building} rename to ${TEMPLATE}`)
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

async function withClient(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}
