/** The databases that this version can use, by the migrations that they have. */
import test from 'ava'
import {
  expectSchema,
  SchemaMismatch,
  SchemaOutdated,
  sessionName,
} from '../../../sql/schema/version.ts'
import { testDatabase, unmigratedDatabase } from '../../support/servers/database.ts'

test('uses a database with all of its migrations, and with more that add', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await t.notThrowsAsync(expectSchema(db))
  await db.query(`insert into migration (name, checksum) values ('9000_later.sql', 'a')`)
  await t.notThrowsAsync(expectSchema(db))
})

test('waits for migrations that add, not for removals of its own', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const { rows } = await db.query<{ name: string }>('select name from migration order by name')
  const own = rows.map(({ name }) => name)
  await t.notThrowsAsync(expectSchema(db, [...own, '9000_contract_later.sql']))
  await t.throwsAsync(expectSchema(db, [...own, '9000_later.sql']), {
    instanceOf: SchemaOutdated,
    message: 'migrations are missing: 9000_later.sql: run "swaptide migrate"',
  })
})

test('refuses a database from which a newer version removed something', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await db.query(`insert into migration (name, checksum) values ('9000_contract_later.sql', 'a')`)
  const refused = await t.throwsAsync(expectSchema(db), { instanceOf: SchemaMismatch })
  t.false(refused instanceof SchemaOutdated)
  t.is(
    refused?.message,
    'a newer version removed parts of the schema that this one uses: 9000_contract_later.sql: ' +
      'start the newer version, or restore a backup that this one made',
  )
})

test('waits for a database that was never migrated', async (t) => {
  const { db, drop } = await unmigratedDatabase()
  t.teardown(drop)
  await t.throwsAsync(expectSchema(db), {
    instanceOf: SchemaOutdated,
    message: 'the database is not migrated: run "swaptide migrate"',
  })
})

test('a session has the number of the newest migration in its name', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const { rows } = await db.query(
    `select current_setting('application_name') as name, substring(max(name), 1, 4) as number from migration`,
  )
  t.is(rows[0].name, `swaptide-test/${rows[0].number}`)
  t.is(sessionName('swaptide-test'), rows[0].name)
})
