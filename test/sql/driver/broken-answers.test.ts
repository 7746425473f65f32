/**
 * Answers of a server that break off in the middle, with bytes that are no message: a pooler writes an error into a row when its
 * server dies. The connection is lost, and nothing else.
 */
import type { Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { copyOut } from '../../../sql/binary/copy-reader.ts'
import { connect, isRetryable } from '../../../sql/db.ts'
import { noteTransactionPooler } from '../../../sql/driver/pooler.ts'
import { startListening } from '../../../sql/listen.ts'
import { query } from '../../../sql/query.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { frame, POOLER_ERROR } from '../../support/cluster/postgres-frames.ts'
import { testServers } from '../../support/servers/servers.ts'
import { tcpProxy } from '../../support/servers/tcp-proxy.ts'
import { until } from '../../support/workers/pipeline.ts'

const BOUND_MS = 60_000
const MARK = 'marked in the row'
const ROW = `select 1 as a, '${MARK}' as b, 3 as c, 4 as d, 5 as e, 6 as f`
const FEW = 3
const SEEDS = 40

function garbage(seed: number): Buffer {
  const prng = new Prng([seed])
  return Buffer.from(Array.from({ length: 3_000 }, () => prng.below(256)))
}

/** Bytes in place of the rest of a message, of which the client has received the beginning. */
const BROKEN: readonly (readonly [string, Buffer])[] = [
  ['an error inside a row', POOLER_ERROR],
  ['zeros', Buffer.alloc(3_000)],
]

/** Bytes after a whole message. */
const NO_MESSAGES: readonly (readonly [string, Buffer])[] = [
  ['a row that is longer than its frame', frame('D', '\0\x06\0\0\x03\xe8cut')],
  ['a row of a negative number of columns', frame('D', '\xff\xf0')],
  ['a huge length', frame('D', '\0\x01', 0x7f_ff_ff_ff)],
  ['a length that is a text', frame('d', '\0\x01', 0x20_20_20_20)],
  ['a long message of a short kind', frame('Z', 'I', 40_000)],
  ['a length less than its own', frame('D', '', 3)],
  ['an unknown code', frame('x', 'I')],
  ['an authentication of no kind', frame('R', '\0\0\0\x63')],
  ['an error without an end', frame('E', 'SFATAL\0Mcut')],
]

/** A server whose next answer with the mark is broken by `breaking`. */
async function breakableServer(t: ExecutionContext) {
  const silent = new WeakSet<Socket>()
  const server = {
    url: '',
    breaking: undefined as ((bytes: Buffer, at: number) => Buffer) | undefined,
    isEnded: false,
  }
  const proxy = await tcpProxy(t, testServers().databaseUrl, (client, bytes) => {
    const at = bytes.indexOf(MARK)
    if (silent.has(client)) return
    if (server.breaking === undefined || at < 0) {
      client.write(bytes)
      return
    }
    silent.add(client)
    client.write(server.breaking(bytes, at))
    server.breaking = undefined
    if (server.isEnded) client.end()
  })
  server.url = proxy.url
  return server
}

const inTheRow = (rest: Buffer) => (bytes: Buffer, at: number) =>
  Buffer.concat([bytes.subarray(0, at + FEW), rest])
/** In place of the row, whose frame begins before its first columns. */
const insteadOfRow = (rest: Buffer) => (bytes: Buffer) =>
  Buffer.concat([bytes.subarray(0, bytes.indexOf('D\0\0\0')), rest])

type Breakable = Awaited<ReturnType<typeof breakableServer>>

function poolOf(t: ExecutionContext, url: string, isPipelined = false) {
  const db = connect(url, { max: 1, isPipelined })
  t.teardown(() => db.end())
  return db
}

/** All of the answers, one after the other; after each the pool has a connection that works. */
async function assertLost(
  t: ExecutionContext,
  server: Breakable,
  statement: (kind: string) => Promise<unknown>,
  works: () => Promise<unknown>,
): Promise<void> {
  const all = [
    ...BROKEN.map(([kind, rest]) => [kind, inTheRow(rest)] as const),
    ...NO_MESSAGES.map(([kind, rest]) => [kind, insteadOfRow(rest)] as const),
  ]
  for (const [kind, breaking] of all) {
    server.breaking = breaking
    const error = await t.throwsAsync(statement(kind), undefined, kind)
    t.is(typeof server.breaking, 'undefined', kind)
    t.true(isRetryable(error), `${kind}: ${error?.message}`)
    await t.notThrowsAsync(works(), kind)
  }
}

for (const kind of ['plain', 'pipelined', 'pooled'] as const) {
  test(`a ${kind} connection whose answer is no message is lost, and replaced`, async (t) => {
    t.timeout(BOUND_MS)
    const server = await breakableServer(t)
    if (kind === 'pooled') noteTransactionPooler(server.url, server.url)
    const db = poolOf(t, server.url, kind === 'pipelined')
    await assertLost(
      t,
      server,
      () => db.query(ROW),
      () => db.query('select 1'),
    )
  })
}

test('a connection that is held is lost with all of its statements, and the process lives', async (t) => {
  t.timeout(BOUND_MS)
  const server = await breakableServer(t)
  const db = poolOf(t, server.url, true)
  for (let seed = 1; seed <= SEEDS; seed++) {
    server.breaking = inTheRow(garbage(seed))
    server.isEnded = true
    const connection = await db.connect()
    const ended = await Promise.allSettled([
      connection.query('select 1'),
      connection.query(ROW),
      connection.query('select 2'),
    ])
    connection.release(true)
    // The answer to the first statement may arrive in the same bytes.
    const reasons = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    t.true(reasons.length >= 2, `seed ${seed}`)
    for (const reason of reasons) t.true(isRetryable(reason), `seed ${seed}: ${reason.message}`)
  }
})

const COPY = `copy (select '${MARK}', n from generate_series(1, 50) as n) to stdout (format binary)`

test('a copy that breaks off is lost, however many rows were read', async (t) => {
  t.timeout(BOUND_MS)
  const server = await breakableServer(t)
  const db = poolOf(t, server.url)
  const copied = async () => {
    const connection = await db.connect()
    let rows = 0
    try {
      await copyOut(connection, COPY, async (reader) => {
        for (; reader.next(); rows++) {
          reader.ascii()
          reader.int4()
        }
      })
    } finally {
      connection.release(true)
    }
    return rows
  }
  const ends: readonly (readonly [string, Buffer])[] = [
    ...BROKEN,
    [
      'the end of the copy',
      Buffer.concat([frame('c', ''), frame('C', 'COPY 1\0'), frame('Z', 'I')]),
    ],
    ['an unknown message', Buffer.concat([frame('x', 'I'), frame('x', 'I')])],
  ]
  const afterTheRow = (rest: Buffer) => (bytes: Buffer, at: number) =>
    Buffer.concat([bytes.subarray(0, bytes.indexOf('d\0\0\0', at)), rest])
  server.isEnded = true
  for (const [kind, rest] of ends) {
    for (const breaking of [inTheRow(rest), afterTheRow(rest)]) {
      server.breaking = breaking
      const error = await t.throwsAsync(copied(), undefined, kind)
      t.true(isRetryable(error), `${kind}: ${error?.message}`)
    }
  }
  t.is(await copied(), 50)
})

test('a server that answers nonsense is refused, and tried again', async (t) => {
  t.timeout(BOUND_MS)
  let isBroken = true
  const proxy = await tcpProxy(t, testServers().databaseUrl, (client, bytes) =>
    client.write(isBroken ? garbage(7) : bytes),
  )
  const db = poolOf(t, proxy.url)
  const error = await t.throwsAsync(db.query('select 1'))
  t.true(isRetryable(error), error?.message)
  isBroken = false
  t.is((await db.query('select 1 as n')).rows[0].n, 1)
})

test('a session that listens begins again after bytes that are no message', async (t) => {
  t.timeout(BOUND_MS)
  const clients = new Set<Socket>()
  const proxy = await tcpProxy(t, testServers().databaseUrl, (client, bytes) => {
    clients.add(client)
    client.write(bytes)
  })
  let starts = 0
  const losses: unknown[] = []
  const listening = startListening({
    databaseUrl: proxy.url,
    listen: query('gateway/listen_keys'),
    onStart: () => {
      starts += 1
    },
    onMessage: () => {},
    onLoss: (error) => losses.push(error),
    applicationName: 'test',
  })
  t.teardown(() => listening.end())
  for (const [count, [kind, bytes]] of NO_MESSAGES.slice(0, 3).entries()) {
    await until(`listening: ${kind}`, BOUND_MS, async () => starts === count + 1)
    for (const client of clients) client.write(bytes)
    clients.clear()
    await until(`it is lost: ${kind}`, BOUND_MS, async () => losses.length === count + 1)
  }
  t.true(losses.every(isRetryable), losses.join('; '))
})
