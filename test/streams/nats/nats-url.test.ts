/** NATS_URL: its parts as the client receives them, and their acceptance by a server with authentication. */
import { execFile } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { LOOPBACK } from '../../../deploy/local/ports.ts'
import { connectJetStream } from '../../../streams/nats/jetstream.ts'
import {
  isNatsUrl,
  type NatsFiles,
  natsAccess,
  natsHosts,
  withNatsFiles,
} from '../../../streams/nats/nats-url.ts'
import { makeNode } from '../../support/cluster/nats.ts'
import { natsCredentials } from '../../support/cluster/nats-credentials.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { ownPort } from '../../support/servers/own-port.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'

test('parses servers, user, TLS and files from a URL or a list', (t) => {
  const cases: [string, object][] = [
    ['nats://h', { servers: ['h'] }],
    ['nats://h:4222', { servers: ['h:4222'] }],
    ['nats://[::1]:4222', { servers: ['[::1]:4222'] }],
    // A password that begins with a digit looks like a port to a parser of the host only.
    ['nats://u:9pass@h:4222', { servers: ['h:4222'], user: 'u', pass: '9pass' }],
    ['nats://u%40x:p%2F%3A%25%2C@h', { servers: ['h'], user: 'u@x', pass: 'p/:%,' }],
    // No escape: verbatim.
    ['nats://u:100%@h', { servers: ['h'], user: 'u', pass: '100%' }],
    ['nats://t%2Fken@h:4222', { servers: ['h:4222'], token: 't/ken' }],
    ['tls://h:4222', { servers: ['h:4222'], tls: {} }],
    ['tls://u:p@h:4222', { servers: ['h:4222'], user: 'u', pass: 'p', tls: {} }],
    // A list: one scheme and one user for all, in any place.
    ['nats://a:1,nats://b:2, nats://c:3', { servers: ['a:1', 'b:2', 'c:3'] }],
    ['tls://a:1,b:2', { servers: ['a:1', 'b:2'], tls: {} }],
    ['nats://a,nats://u:p@b', { servers: ['a', 'b'], user: 'u', pass: 'p' }],
    ['nats://t@a,nats://t@b', { servers: ['a', 'b'], token: 't' }],
    [
      'nats://a,nats://b?ca=%2Fca.pem&cert=%2Fc.pem&key=%2Fk.pem',
      { servers: ['a', 'b'], tls: { caFile: '/ca.pem', certFile: '/c.pem', keyFile: '/k.pem' } },
    ],
    ['nats://a?creds=%2Fx.creds', { servers: ['a'], credsFile: '/x.creds' }],
  ]
  for (const [url, access] of cases) t.deepEqual<object, object>(natsAccess(url), access, url)
})

test('refuses lists with a foreign scheme, two users or a user without a scheme', (t) => {
  const refused = [
    ...['', 'h:4222', 'http://h', 'nats://', 'nats://a,', 'nats://a,http://b', 'nats://a/path'],
    ...['nats://a:1,u:p@b:2', 'nats://u:p@a,nats://v:q@b', 'nats://t@a,nats://u:p@b'],
  ]
  for (const url of refused) t.false(isNatsUrl(url), url)
  t.true(isNatsUrl('nats://a,nats://b:4222'))
  t.deepEqual(natsHosts('nats://u:p@a:1,b:2?ca=x'), ['a:1', 'b:2'])
})

test('puts files into a list once, however often it passes from process to process', (t) => {
  const files = { ca: '/a b/ca.pem', creds: '/x.creds' }
  const once = withNatsFiles('nats://a,nats://b', files)
  t.is(once, 'nats://a,nats://b?ca=%2Fa+b%2Fca.pem&creds=%2Fx.creds')
  t.is(withNatsFiles(once, files), once)
  t.is(withNatsFiles('nats://a', {}), 'nats://a')
  t.like(natsAccess(once), { credsFile: '/x.creds', tls: { caFile: '/a b/ca.pem' } })
})

/** A nats-server of its own; its host and port. */
async function guardedServer(t: ExecutionContext, settings: string): Promise<string> {
  const port = await ownPort()
  const node = await makeNode(t, await temporaryFolder(t), { name: 'n', port, settings })
  await node.server.start()
  t.teardown(() => node.server.stop())
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

/** The server runs as another account, which reads its files. */
async function readableFolder(t: ExecutionContext): Promise<string> {
  const folder = await temporaryFolder(t)
  await chmod(folder, 0o755)
  return folder
}

/** An authority with a certificate of localhost and one of a client, made by openssl; the paths of the PEM files. */
async function certificates(folder: string): Promise<(name: string) => string> {
  const path = (name: string): string => join(folder, name)
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args, { cwd: folder })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const long = ['-days', '2']
  await openssl(
    'req',
    '-x509',
    ...key,
    ...long,
    '-subj',
    '/CN=authority',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  )
  await writeFile(path('extensions'), 'subjectAltName=DNS:localhost')
  for (const name of ['server', 'client', 'stranger']) {
    const request = ['-keyout', `${name}.key`, '-out', `${name}.csr`]
    await openssl('req', ...key, '-subj', `/CN=${name}`, ...request)
    const signed = [
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-extfile',
      'extensions',
    ]
    await openssl('x509', '-req', '-in', `${name}.csr`, ...long, ...signed, '-out', `${name}.pem`)
  }
  await openssl(
    'req',
    '-x509',
    ...key,
    ...long,
    '-subj',
    '/CN=other',
    '-keyout',
    'other.key',
    '-out',
    'other.pem',
  )
  await chmod(path('server.key'), 0o644)
  return path
}

test('authenticates by TLS with an authority and a client certificate', async (t) => {
  const { log } = recordingLog()
  const path = await certificates(await readableFolder(t))
  const server = await guardedServer(
    t,
    `tls { cert_file: "${path('server.pem')}", key_file: "${path('server.key')}", ca_file: "${path('ca.pem')}", verify: true }`,
  )
  const named = server.replace(LOOPBACK, 'localhost')
  const connected = (files: NatsFiles) =>
    connectJetStream(withNatsFiles(`tls://${named}`, files), {
      name: 'swaptide-test',
      log,
      answerMs: 1_000,
    })
  const own = { ca: path('ca.pem'), cert: path('client.pem'), key: path('client.key') }
  const jetStream = await connected(own)
  await jetStream.flush()
  await jetStream.close()
  const refused: [NatsFiles, RegExp][] = [
    [{ ca: own.ca }, /./],
    [{ ...own, ca: path('other.pem') }, /certificate|signature/i],
    [{ ...own, cert: path('other.pem'), key: path('other.key') }, /./],
    [{ ...own, ca: path('absent.pem') }, /absent\.pem/],
  ]
  for (const [files, message] of refused) {
    await t.throwsAsync(connected(files), { message })
  }
})

test('authenticates by a credentials file', async (t) => {
  const { log } = recordingLog()
  const folder = await temporaryFolder(t)
  const { settings, creds } = natsCredentials()
  await writeFile(join(folder, 'own.creds'), creds)
  await writeFile(join(folder, 'other.creds'), natsCredentials().creds)
  const server = await guardedServer(t, settings)
  const connected = (files: NatsFiles) =>
    connectJetStream(withNatsFiles(`nats://${server}`, files), { name: 'swaptide-test', log })
  const jetStream = await connected({ creds: join(folder, 'own.creds') })
  await jetStream.flush()
  await jetStream.close()
  const violation = { message: /authorization violation/i }
  await t.throwsAsync(connected({ creds: join(folder, 'other.creds') }), violation)
  await t.throwsAsync(connected({}), violation)
  await t.throwsAsync(connected({ creds: join(folder, 'absent') }), { message: /ENOENT.*absent/ })
})

test('tls:// rejects a server without TLS', async (t) => {
  const { log } = recordingLog()
  const server = await guardedServer(t, '')
  await t.throwsAsync(connectJetStream(`tls://${server}`, { name: 'swaptide-test', log }), {
    message: /does not support 'tls'/,
  })
})
