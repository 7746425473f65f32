/** `swaptide migrate`: what it would apply, what it applied, and exit codes that a script can go by. */
import test from 'ava'
import { runHere } from '../../../support/programs/commands.ts'
import { testDatabase, unmigratedDatabase } from '../../../support/servers/database.ts'
import { testServers } from '../../../support/servers/servers.ts'

test('lists what would be applied with exit code 1, until it is applied', async (t) => {
  const { databaseUrl, drop } = await unmigratedDatabase()
  t.teardown(drop)
  const { natsUrl, redisUrl } = testServers()
  const settings = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, REDIS_URL: redisUrl }
  const run = (...argv: string[]) => runHere(['migrate', ...argv], settings)

  const pending = await run('--check')
  t.is(pending.code, 1)
  const files = pending.stdout.trimEnd().split('\n')
  t.is(files.pop(), `${files.length} files to apply: run "swaptide migrate"`)
  const applied = await run()
  t.is(applied.code, 0, applied.stderr)
  const paths = files.map((line) => line.split('  ')[1])
  t.deepEqual(
    applied.stdout.split('\n').slice(0, paths.length),
    paths.map((path) => `applied ${path}`),
  )
  for (const argv of [['--check'], []]) {
    const { code, stdout } = await run(...argv)
    t.is(code, 0)
    t.is(stdout, 'nothing to apply: the schema is up to date\n')
  }
})

test('reports a database of a newer version, and refuses one that such a version has cut', async (t) => {
  const { db, databaseUrl, drop } = await testDatabase()
  t.teardown(drop)
  const { natsUrl, redisUrl } = testServers()
  const settings = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, REDIS_URL: redisUrl }
  const insert = (name: string) =>
    db.query('insert into migration (name, checksum) values ($1, $1)', [name])
  const runBoth = () =>
    Promise.all([runHere(['migrate', '--check'], settings), runHere(['migrate'], settings)])

  await insert('9000_later.sql')
  for (const { code, stdout } of await runBoth()) {
    t.is(code, 0)
    t.is(stdout, 'the database is of a newer version: nothing to apply\n')
  }
  await insert('9001_contract_later.sql')
  for (const { code, stderr } of await runBoth()) {
    t.is(code, 1)
    t.regex(stderr, /this one uses: 9001_contract_later.sql: start the newer version, or restore/)
  }
})
