/** Access of another account of the host to the embedded servers: connect, read their files, see their secrets. */
import { execFile } from 'node:child_process'
import {
  chmod,
  chown,
  lchown,
  readdir,
  readFile,
  readlink,
  stat,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { Client } from 'pg'
import type { Stack } from '../../../deploy/local/stack.ts'
import { readState, type StackUrls, writeState } from '../../../deploy/local/state.ts'
import { connectJetStream } from '../../../streams/nats/jetstream.ts'
import { familyOf } from '../../support/programs/programs.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { ownStack, temporaryFolder } from '../../support/servers/servers.ts'
import type { Tried } from '../../support/servers/stranger.ts'

const STRANGER = join(import.meta.dirname, '../../support/servers/stranger.ts')
const NOBODY = { uid: 65_534, gid: 65_534 }
const isRoot = process.getuid?.() === 0
const asRoot = isRoot ? test.serial : test.serial.skip
const noRoot = isRoot ? '' : ' (skipped: only root can become another user)'
const LISTENING = '0A'
const LOOPBACK_HEX = '0100007F'

function withPassword(url: string, password: string): string {
  const changed = new URL(url)
  changed.password = password
  if (password === '') changed.username = ''
  return changed.href
}

const secretsOf = (urls: StackUrls): string[] =>
  [urls.databaseUrl, urls.natsUrl, urls.redisUrl].map((url) => new URL(url).password)

const pidsOf = ({ servers }: Stack): number[] =>
  Object.values(servers).flatMap(({ pid }) => familyOf(pid ?? 0).map((program) => program.pid))

async function tryAll(
  stack: Stack,
  home: string,
  account: typeof NOBODY | undefined,
): Promise<Tried> {
  const { databaseUrl, natsUrl, redisUrl } = stack
  const urls = [
    ...[natsUrl, redisUrl].map((url) => withPassword(url, '')),
    databaseUrl.replace(/:[^:@/]+@/, '@'),
    ...[databaseUrl, natsUrl, redisUrl].map((url) => withPassword(url, 'wrong')),
    `nats://wrong@${new URL(natsUrl).host}`,
  ]
  const requested = JSON.stringify({ home, urls, pids: pidsOf(stack), account })
  const { stdout } = await promisify(execFile)(process.execPath, [STRANGER, requested])
  return JSON.parse(stdout)
}

const REFUSED = /password|authorization violation|NOAUTH|WRONGPASS|SASL/i

function assertRefused(t: ExecutionContext, { answers }: Tried): void {
  t.is(Object.keys(answers).length, 7)
  for (const [url, answer] of Object.entries(answers)) {
    t.regex(answer, REFUSED, url)
    t.notRegex(answer, /let in/, url)
  }
}

test.serial('every server refuses a client without a password or with a wrong one', async (t) => {
  const home = await temporaryFolder(t)
  const stack = await ownStack(t, { home })
  const secrets = secretsOf(stack)
  t.is(new Set(secrets).size, 3, 'each server has a password of its own')
  for (const secret of secrets) t.regex(secret, /^[0-9a-f]{48}$/)
  assertRefused(t, await tryAll(stack, home, undefined))
})

asRoot(`shows another user of the host no file and no process memory${noRoot}`, async (t) => {
  const home = await temporaryFolder(t)
  await chmod(home, 0o755)
  const stack = await ownStack(t, { home })
  const tried = await tryAll(stack, home, NOBODY)
  t.is(tried.uid, NOBODY.uid)
  assertRefused(t, tried)
  t.deepEqual(tried.readable, [])
})

test.serial(
  'shows no password in the list of processes, and listens on loopback only',
  async (t) => {
    const stack = await ownStack(t)
    const secrets = secretsOf(stack)
    for (const { pid } of familyOf(process.pid)) {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      const isShown = secrets.some((secret) => words.includes(secret))
      t.false(isShown, words)
    }
    const listening = await listeningSockets()
    for (const { pid, port, name } of Object.values(stack.servers)) {
      const own = await Promise.all(familyOf(pid ?? 0).map((each) => socketsOf(each.pid)))
      const addresses = [...new Set(own.flat())].flatMap((inode) => listening.get(inode) ?? [])
      const expected = `${LOOPBACK_HEX}:${port.toString(16).toUpperCase().padStart(4, '0')}`
      t.deepEqual([...new Set(addresses)], [expected], name)
    }
  },
)

/** Local addresses of listening TCP sockets by inode, as the kernel prints them. */
async function listeningSockets(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const table of ['tcp', 'tcp6']) {
    const lines = (await readFile(`/proc/net/${table}`, 'utf8').catch(() => '')).split('\n')
    for (const line of lines) {
      const fields = line.trim().split(/\s+/)
      if (fields[3] === LISTENING) found.set(fields[9] ?? '', fields[1] ?? '')
    }
  }
  return found
}

async function socketsOf(pid: number): Promise<string[]> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const targets = await Promise.all(
    names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')),
  )
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [])
}

async function query(databaseUrl: string, text: string): Promise<unknown> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows[0]?.[0]
  } finally {
    await client.end()
  }
}

/** A home that the version before left: one password for two servers, none for NATS, all as "nobody". */
async function makeOld(home: string, natsPort: number): Promise<void> {
  const {
    secrets: _,
    urls: __,
    ...old
  } = (await readState(home)) ?? { ports: {}, secret: '', hasDatabase: false }
  await writeState(home, old)
  await writeFile(join(home, 'nats/nats.conf'), `listen: "127.0.0.1:${natsPort}"\n`)
  for (const name of ['nats/nats.conf', 'nats', 'logs']) {
    await chmod(join(home, name), name.includes('.') ? 0o644 : 0o755)
  }
  if (!isRoot) return
  for (const folder of ['postgres', 'nats', 'redis']) {
    for (const entry of await readdir(join(home, folder), { recursive: true })) {
      await lchown(join(home, folder, entry), NOBODY.uid, NOBODY.gid)
    }
    await chown(join(home, folder), NOBODY.uid, NOBODY.gid)
  }
}

test.serial('starts a home of the version before, which had no password for NATS', async (t) => {
  const { log } = recordingLog()
  const home = await temporaryFolder(t)
  await chmod(home, 0o755)
  const first = await ownStack(t, { home })
  await query(first.databaseUrl, 'create table kept as select 42 as answer')
  const before = await connectJetStream(first.natsUrl, { name: 'test', log })
  await before.manager.streams.add({ name: 'KEPT', subjects: ['kept'] })
  await before.publish('kept', new Uint8Array([1]))
  await before.close()
  await first.stop()
  await makeOld(home, first.servers.nats.port)

  const stack = await ownStack(t, { home })
  t.is(await query(stack.databaseUrl, 'select answer from kept'), 42)
  const jetStream = await connectJetStream(stack.natsUrl, { name: 'test', log })
  t.deepEqual((await jetStream.messageAt('KEPT', 1))?.payload, new Uint8Array([1]))
  await jetStream.close()
  const tried = await tryAll(stack, home, isRoot ? NOBODY : undefined)
  assertRefused(t, tried)
  if (isRoot) t.deepEqual(tried.readable, [])
  for (const name of ['nats', 'redis', 'postgres', 'logs']) {
    t.is((await stat(join(home, name))).mode & 0o777, 0o700, name)
  }
  t.is((await stat(join(home, 'nats/nats.conf'))).mode & 0o777, 0o600)
})
