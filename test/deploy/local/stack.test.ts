// The embedded stack itself: real servers, started, stopped, killed and left over.

import { spawn } from 'node:child_process'
import { chmod, chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import { serverAccount, unprivileged } from '../../../deploy/local/account.ts'
import { defaultCacheDir } from '../../../deploy/local/host.ts'
import { LOOPBACK, PortTaken } from '../../../deploy/local/ports.ts'
import { answers, type Server } from '../../../deploy/local/servers/server.ts'
import { HomeInUse, startStack } from '../../../deploy/local/stack.ts'
import {
  isRunning,
  readState,
  runningStack,
  type StackUrls,
  writeState,
} from '../../../deploy/local/state.ts'
import { holdsWithin, RESTART_FROM_MS } from '../../../deploy/local/waiting.ts'
import { familyOf, remainingAfter } from '../../support/programs/programs.ts'
import { ownPort } from '../../support/servers/own-port.ts'
import { ownStack, stackDefaults, temporaryFolder } from '../../support/servers/servers.ts'

const UP = join(import.meta.dirname, '../../support/programs/up.ts')
const END_BOUND_MS = 60_000
const isOfDisk = (line: string): boolean => /EISDIR|ENOTEMPTY/.test(line)
const isRoot = process.getuid?.() === 0

async function request(databaseUrl: string, query: string): Promise<unknown> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query({ text: query, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}

async function assertAllAnswer(t: ExecutionContext, urls: StackUrls): Promise<void> {
  t.regex(String(await request(urls.databaseUrl, 'show server_version')), /^17\./)
  t.true(await answers(Number(new URL(urls.natsUrl).port), '', '"jetstream":true'))
  const redis = new Redis(urls.redisUrl)
  t.is(await redis.ping(), 'PONG')
  redis.disconnect()
}

async function doAllAnswer({ databaseUrl, natsUrl, redisUrl }: StackUrls): Promise<boolean> {
  const said = await Promise.all([
    request(databaseUrl, 'select true').catch(() => false),
    answers(Number(new URL(natsUrl).port), '', 'INFO '),
    answers(Number(new URL(redisUrl).port), 'PING\r\n', '-NOAUTH'),
  ])
  return said.every(Boolean)
}

/** A stack run by a program of its own: its pid, and its last line, which holds the URLs. */
async function upElsewhere(
  t: ExecutionContext,
  options: { home: string; cacheDir?: string; account?: { uid: number; gid: number } },
): Promise<{ pid: number; urls: StackUrls; lines: string[]; interrupt(): Promise<unknown> }> {
  const child = spawn(process.execPath, [UP, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.startsWith('{')) break
  }
  const interrupt = (): Promise<unknown> => {
    child.kill('SIGINT')
    return ended
  }
  return { pid: child.pid ?? 0, urls: JSON.parse(lines.at(-1) ?? ''), lines, interrupt }
}

test.serial('a new home has three servers that answer, and the same again later', async (t) => {
  const home = await temporaryFolder(t)
  const first = await ownStack(t, { home })
  await assertAllAnswer(t, first)
  t.deepEqual(await runningStack(home), {
    databaseUrl: first.databaseUrl,
    natsUrl: first.natsUrl,
    redisUrl: first.redisUrl,
  })
  await request(first.databaseUrl, 'create extension timescaledb')
  await first.stop()
  t.is(await runningStack(home), undefined)
  const second = await ownStack(t, { home })
  t.is(second.databaseUrl, first.databaseUrl)
  t.is(second.natsUrl, first.natsUrl)
  t.is(second.redisUrl, first.redisUrl)
  const stored = 'select extversion from pg_extension where extname = $$timescaledb$$'
  t.regex(String(await request(second.databaseUrl, stored)), /^2\.19\./)
})

test.serial(
  'a first start that was killed after the creation of its database continues',
  async (t) => {
    const home = await temporaryFolder(t)
    const first = await ownStack(t, { home })
    await first.stop()
    const state = await readState(home)
    if (state === undefined) throw new Error('the stack kept no state')
    await writeState(home, { ...state, hasDatabase: false })
    const second = await ownStack(t, { home })
    await assertAllAnswer(t, second)
    t.is(second.databaseUrl, first.databaseUrl)
  },
)

test.serial('commits are synced to the disk unless a test disables it', async (t) => {
  const durable = await ownStack(t, { durable: true })
  t.is(await request(durable.databaseUrl, 'show fsync'), 'on')
  t.is(await request(durable.databaseUrl, 'show full_page_writes'), 'on')
  t.is(await request(durable.databaseUrl, 'show synchronous_commit'), 'on')
  await durable.stop()
  t.is(await request((await ownStack(t)).databaseUrl, 'show fsync'), 'off')
})

test.serial('stopping is clean and leaves no process', async (t) => {
  const home = await temporaryFolder(t)
  const stack = await ownStack(t, { home })
  const family = Object.values(stack.servers).flatMap(({ pid }) => familyOf(pid ?? 0))
  // PostgreSQL has children of its own: checkpointer, writers, vacuum launcher ...
  t.true(family.length > 6)
  await stack.stop()
  t.deepEqual(await remainingAfter(60_000, family), [])
  t.regex(await readFile(join(home, 'logs/postgres.log'), 'utf8'), /database system is shut down/)
})

test.serial('a second start on the same home names its holder and leaves it running', async (t) => {
  const home = await temporaryFolder(t)
  const { pid, urls, interrupt } = await upElsewhere(t, { home })
  await t.throwsAsync(ownStack(t, { home }), {
    instanceOf: HomeInUse,
    message: new RegExp(`"${home}" is in use by process ${pid}`),
  })
  await assertAllAnswer(t, urls)
  t.is(await interrupt(), 0)
  t.is(await runningStack(home), undefined)
})

test.serial('reports a port in use by name, and leaves no server running', async (t) => {
  const port = await ownPort()
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(port, LOOPBACK, resolve))
  t.teardown(() => new Promise<void>((resolve) => holder.close(() => resolve())))
  const home = await temporaryFolder(t)
  await t.throwsAsync(ownStack(t, { home, ports: { postgres: port } }), {
    instanceOf: PortTaken,
    message: new RegExp(`port ${port} for PostgreSQL is taken`),
  })
  // The home is free again.
  await assertAllAnswer(t, await ownStack(t, { home }))
})

test.serial('killing the program that runs the stack ends its servers too', async (t) => {
  const home = await temporaryFolder(t)
  const { pid } = await upElsewhere(t, { home })
  const family = familyOf(pid)
  t.true(family.length > 9)
  process.kill(pid, 'SIGKILL')
  t.deepEqual(await remainingAfter(END_BOUND_MS, family), [])
  t.is(await runningStack(home), undefined)
})

test.serial('a start right after a kill reuses home and ports', async (t) => {
  const home = await temporaryFolder(t)
  const { pid, urls } = await upElsewhere(t, { home })
  const family = familyOf(pid)
  process.kill(pid, 'SIGKILL')
  const stack = await ownStack(t, { home })
  t.deepEqual(family.filter(isRunning), [])
  t.is(stack.databaseUrl, urls.databaseUrl)
  await assertAllAnswer(t, stack)
})

test.serial('restarts each server on its port after kill -9', async (t) => {
  const stack = await ownStack(t)
  for (const server of Object.values(stack.servers)) {
    const before = server.pid
    server.kill('SIGKILL')
    await server.start()
    t.not(server.pid, before)
    await assertAllAnswer(t, stack)
  }
})

test.serial(
  'a server that ends by itself is started again, and no more once it is stopped',
  async (t) => {
    const lines: string[] = []
    const stack = await ownStack(t, { log: (line) => lines.push(line) })
    const { redis } = stack.servers
    const end = (server: Server) => process.kill(server.pid ?? 0, 'SIGKILL')
    for (const server of Object.values(stack.servers)) {
      const before = server.pid
      end(server)
      const isAgain = () => server.pid !== undefined && server.pid !== before
      t.true(await holdsWithin(END_BOUND_MS, async () => isAgain() && (await doAllAnswer(stack))))
      t.true(lines.some((line) => line.startsWith(`${server.name} ended by itself: `)))
    }
    end(redis)
    t.true(await holdsWithin(END_BOUND_MS, () => redis.pid === undefined))
    await redis.stop()
    t.false(await holdsWithin(2 * RESTART_FROM_MS + 500, () => redis.pid !== undefined))
    end(stack.servers.nats)
    t.true(await holdsWithin(END_BOUND_MS, () => stack.servers.nats.pid === undefined))
    await stack.servers.nats.start()
    t.true(await answers(stack.servers.nats.port, '', 'INFO '))
  },
)

test.serial('restarts a server whose pid could not be stored, too', async (t) => {
  const lines: string[] = []
  const home = await temporaryFolder(t)
  const stack = await ownStack(t, { home, log: (line) => lines.push(line) })
  const { redis } = stack.servers
  const retained = join(home, 'redis.pid.json')
  // The effect of a full disk on it.
  await rm(retained)
  await mkdir(retained)
  for (let time = 0; time < 2; time++) {
    const before = redis.pid
    process.kill(before ?? 0, 'SIGKILL')
    const isAgain = () => redis.pid !== undefined && redis.pid !== before
    t.true(await holdsWithin(END_BOUND_MS, isAgain))
    t.true(await holdsWithin(END_BOUND_MS, () => lines.filter(isOfDisk).length > time))
  }
  t.true(await holdsWithin(END_BOUND_MS, () => answers(redis.port, 'PING\r\n', '-NOAUTH')))
})

test.serial('a frozen server still stops', async (t) => {
  const { servers } = await ownStack(t)
  for (const server of Object.values(servers)) {
    server.kill('SIGSTOP')
    await server.stop()
    t.is(server.pid, undefined)
  }
})

test.serial('a pid file with the pid of another program does not prevent a start', async (t) => {
  const home = await temporaryFolder(t)
  const first = await ownStack(t, { home })
  await first.stop()
  const account = serverAccount(process.getuid?.() ?? 0)
  const stranger = spawn('setpriv', [...unprivileged(account), 'sleep', '600'])
  t.teardown(() => stranger.kill('SIGKILL'))
  const pidFile = join(home, 'postgres/postmaster.pid')
  await writeFile(pidFile, `${stranger.pid}\n`, { mode: 0o600 })
  if (account !== undefined) await chown(pidFile, account.uid, account.gid)
  await assertAllAnswer(t, await ownStack(t, { home }))
  t.is(stranger.exitCode, null)
})

test.serial('reports a secret that another account wrote, and does not change it', async (t) => {
  const home = await temporaryFolder(t)
  const path = join(home, 'stack.json')
  await writeState(home, { ports: {}, secret: 'the only copy', hasDatabase: true })
  const account = isRoot ? { uid: 65534, gid: 65534 } : undefined
  if (account === undefined) await chmod(path, 0)
  else await chown(home, account.uid, account.gid)
  const options = {
    home,
    account,
    cacheDir: defaultCacheDir(process.getuid?.() ?? 0, stackDefaults(t.log).env ?? {}),
  }
  const child = spawn(process.execPath, [UP, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: END_BOUND_MS,
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const said = await text(child.stderr)
  t.is(await ended, 1)
  t.true(said.includes(`Error: "${path}" cannot be read: use the account that it belongs to`), said)
  t.is((await stat(path)).uid, process.getuid?.() ?? 0)
  if (account === undefined) await chmod(path, 0o600)
  t.regex(await readFile(path, 'utf8'), /"secret": "the only copy"/)
})

test.serial('reports a database without its password, and creates no other', async (t) => {
  const home = await temporaryFolder(t)
  await mkdir(join(home, 'postgres'))
  await t.throwsAsync(ownStack(t, { home }), {
    message: /^".*" has a database and no stack\.json, which holds its password: put the file back/,
  })
  t.deepEqual((await readdir(home)).sort(), ['logs', 'postgres'])
  // After it is restored the home is free.
  await t.throwsAsync(ownStack(t, { home }), { message: /has a database and no stack\.json/ })
})

test.serial('pid files that were cut short stop no start', async (t) => {
  const home = await temporaryFolder(t)
  for (const name of ['postgres', 'nats', 'redis']) {
    await writeFile(join(home, `${name}.pid.json`), name === 'nats' ? '{"pid": 1' : '')
  }
  const stack = await ownStack(t, { home })
  for (const [name, { pid }] of Object.entries(stack.servers)) {
    const stored = JSON.parse(await readFile(join(home, `${name}.pid.json`), 'utf8'))
    t.is(stored.pid, pid)
  }
})

test.serial('an ordinary user has private folders, and two starts fetch once', async (t) => {
  const account = isRoot ? { uid: 65534, gid: 65534 } : undefined
  const [cacheDir, ...homes] = await Promise.all([1, 2, 3].map(() => temporaryFolder(t)))
  const folders = [cacheDir ?? '', ...homes]
  if (account !== undefined) {
    for (const folder of folders) await chown(folder, account.uid, account.gid)
  }
  const shared = { cacheDir: cacheDir ?? '', ...(account === undefined ? {} : { account }) }
  const both = await Promise.all(homes.map((home) => upElsewhere(t, { home, ...shared })))
  const lines = both.flatMap((one) => one.lines)
  t.is(lines.filter((line) => /^fetching \d+ packages, \d+ MB$/.test(line)).length, 1)
  for (const one of both) {
    await assertAllAnswer(t, one.urls)
    t.is(await one.interrupt(), 0)
  }
})

test.serial('reports a mirror that does not answer, with the alternatives', async (t) => {
  const mirror = `http://${LOOPBACK}:${await ownPort()}/debian`
  const error = await t.throwsAsync(
    startStack({
      ...stackDefaults((line) => t.log(line)),
      home: await temporaryFolder(t),
      cacheDir: await temporaryFolder(t),
      debianMirror: mirror,
    }),
  )
  t.is(error?.name, 'StackUnavailable')
  t.true(error?.message.includes(mirror))
  t.regex(error?.message ?? '', /DATABASE_URL, NATS_URL and REDIS_URL.*docker compose/s)
})
