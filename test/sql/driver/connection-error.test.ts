/** Errors of the client of PostgreSQL that have no code, as the installed client and a real server make them. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import test from 'ava'
import { connect, isRetryable } from '../../../sql/db.ts'
import { isLostConnection, LOST_CONNECTION_TEXTS } from '../../../sql/driver/connection-error.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { ownPort } from '../../support/servers/own-port.ts'

const { resolve } = createRequire(import.meta.url)

test('the installed client makes every error that counts as a lost connection', (t) => {
  const folder = dirname(resolve('pg'))
  const files = ['client.js', 'connection.js'].map((name) => join(folder, name))
  const sources = [...files, resolve('pg-pool')].map((path) => readFileSync(path, 'utf8')).join()
  for (const text of LOST_CONNECTION_TEXTS) t.true(sources.includes(`new Error('${text}`), text)
})

test('a connection that is terminated, ended, refused or silent may be retried', async (t) => {
  const { db, databaseUrl, drop } = await testDatabase()
  t.teardown(drop)
  const failureOf = async (work: () => Promise<unknown>): Promise<unknown> => {
    const error = await t.throwsAsync(work, { any: true })
    t.true(isRetryable(error), String(error))
    return error
  }
  const client = await db.connect()
  client.on('error', () => {})
  const { pid } = (await client.query('select pg_backend_pid() as pid')).rows[0] as { pid: number }
  const running = client.query('select pg_sleep(600)')
  await Promise.all([failureOf(() => running), db.query('select pg_terminate_backend($1)', [pid])])
  await failureOf(() => client.query('select 1'))
  client.release(true)

  const ended = connect(databaseUrl)
  await ended.end()
  t.true(isLostConnection(await failureOf(() => ended.query('select 1'))))

  const silent = createServer(() => {})
  t.teardown(() => silent.close())
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const at = (number: number) => `postgres://u:p@127.0.0.1:${number}/x`
  const late = connect(at(port), { connectMs: 200 })
  t.true(isLostConnection(await failureOf(() => late.query('select 1'))))
  await late.end()

  const away = connect(at(await ownPort()))
  await failureOf(() => away.query('select 1'))
  await away.end()
})

test('a bug in the work on a connection is not retried', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const values = { not: 'a list' } as unknown as unknown[]
  const works: (() => Promise<unknown>)[] = [
    () => db.query('selec 1'),
    () => db.query({ text: 'select $1::text', values }),
    () => Promise.reject(new Error('two schemas are called "Row"')),
  ]
  for (const work of works) {
    const error = await t.throwsAsync(work, { any: true })
    t.false(isRetryable(error), String(error))
  }
})
