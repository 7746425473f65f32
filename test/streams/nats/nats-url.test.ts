/** NATS_URL: its parts as the client receives them, and their acceptance by a server with authentication. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { give, serverAccount } from '../../../deploy/local/account.ts'
import { defaultCacheDir, toolEnv } from '../../../deploy/local/host.ts'
import { ensurePrefix } from '../../../deploy/local/packages/prefix.ts'
import { freePort, LOOPBACK } from '../../../deploy/local/ports.ts'
import { answers, createServer } from '../../../deploy/local/servers/server.ts'
import { connectJetStream } from '../../../streams/nats/jetstream.ts'
import { natsAccess } from '../../../streams/nats/nats-url.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { stackDefaults, temporaryFolder } from '../../support/servers/servers.ts'

test('parses server, user and TLS from a URL', (t) => {
  const cases: [string, object][] = [
    ['nats://h', { servers: 'h' }],
    ['nats://h:4222', { servers: 'h:4222' }],
    ['nats://[::1]:4222', { servers: '[::1]:4222' }],
    // A password that begins with a digit looks like a port to a parser of the host alone.
    ['nats://u:9pass@h:4222', { servers: 'h:4222', user: 'u', pass: '9pass' }],
    ['nats://u%40x:p%2F%3A%25@h', { servers: 'h', user: 'u@x', pass: 'p/:%' }],
    // No escape: verbatim.
    ['nats://u:100%@h', { servers: 'h', user: 'u', pass: '100%' }],
    ['nats://t%2Fken@h:4222', { servers: 'h:4222', token: 't/ken' }],
    ['tls://h:4222', { servers: 'h:4222', tls: {} }],
    ['tls://u:p@h:4222', { servers: 'h:4222', user: 'u', pass: 'p', tls: {} }],
  ]
  for (const [url, access] of cases) t.deepEqual<object, object>(natsAccess(url), access, url)
})

/** A nats-server of its own; its host and port. */
async function guardedServer(t: ExecutionContext, authorization: string): Promise<string> {
  const { env = {}, ...defaults } = stackDefaults((line) => t.log(line))
  const uid = process.getuid?.() ?? 0
  const prefix = await ensurePrefix({
    ...{ cacheDir: defaultCacheDir(uid, env), debianMirror: defaults.debianMirror },
    ...{ env: toolEnv(env), log: defaults.log },
    ...{ platform: process.platform, arch: process.arch },
  })
  const port = await freePort()
  const account = serverAccount(uid)
  const home = await temporaryFolder(t)
  const folder = join(home, 'nats')
  await mkdir(folder)
  await writeFile(join(folder, 'nats.conf'), `listen: "${LOOPBACK}:${port}"\n${authorization}\n`)
  await give(account, folder)
  const server = createServer({
    ...{ name: 'NATS', port, folder, account, stopSignal: 'SIGTERM' },
    logFile: join(home, 'nats.log'),
    program: prefix.program('nats-server'),
    args: ['-c', 'nats.conf'],
    env: { PATH: toolEnv(env).PATH },
    isReady: () => answers(port, '', 'INFO '),
    log: (line) => t.log(line),
  })
  await server.start()
  t.teardown(() => server.stop())
  return `${LOOPBACK}:${port}`
}

test('authenticates by user or token with the credentials of the URL', async (t) => {
  const { log } = recordingLog()
  const users = await guardedServer(t, 'authorization { user: "me", password: "9p/s%" }')
  const token = await guardedServer(t, 'authorization { token: "7t/ken" }')
  for (const url of [`nats://me:9p%2Fs%25@${users}`, `nats://7t%2Fken@${token}`]) {
    const jetStream = await connectJetStream(url, { name: 'swaptide-test', log })
    t.true(jetStream.isReachable())
    await jetStream.flush()
    await jetStream.close()
  }
  for (const url of [`nats://me:wrong@${users}`, `nats://wrong@${token}`, `nats://${users}`]) {
    const refused = await t.throwsAsync(connectJetStream(url, { name: 'swaptide-test', log }))
    t.regex(refused?.message ?? '', /authorization violation/i)
    t.false(refused?.message.includes('wrong'))
  }
})

test('tls:// rejects a server without TLS', async (t) => {
  const { log } = recordingLog()
  const server = await guardedServer(t, '')
  await t.throwsAsync(connectJetStream(`tls://${server}`, { name: 'swaptide-test', log }), {
    message: /does not support 'tls'/,
  })
})
