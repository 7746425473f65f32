/**
 * The examples of a TLS proxy, run in front of a real API with other ports, names and certificates: REST, WebSocket and gRPC.
 * Where a proxy cannot be had its test is skipped with the reason.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { join } from 'node:path'
import { credentials } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { WebSocket } from 'ws'
import { LOOPBACK } from '../../../deploy/local/ports.ts'
import { runHere, settingsOf, startCommand } from '../../support/programs/commands.ts'
import { type Answer, openClient, withKey } from '../../support/programs/swap-stream.ts'
import { findCaddy } from '../../support/servers/debian/caddy.ts'
import { ownPort } from '../../support/servers/own-port.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'
import { CERTIFICATE, tlsFiles } from '../../support/servers/tls-files.ts'
import { readText } from '../../support/sources.ts'
import { openPipeline, until } from '../../support/workers/pipeline.ts'

const BOUND_MS = 60_000
const NGINX = '/usr/sbin/nginx'

type Ports = { http: number; grpc: number; tls: number; grpcTls: number }

async function runningApi(t: ExecutionContext) {
  const pipeline = await openPipeline(t)
  const [http, grpc, tls, grpcTls] = [
    await ownPort(),
    await ownPort(),
    await ownPort(),
    await ownPort(),
  ]
  const settings = settingsOf(pipeline)
  const own = {
    PORT: String(http),
    GRPC_PORT: String(grpc),
    ADMIN_TOKEN: 'an-operator-token-of-a-test',
  }
  const child = startCommand(['api'], { ...settings, ...own })
  t.teardown(() => child.kill('SIGKILL'))
  const created = await runHere(['keys', 'create', '--tier', 'pro', '--env', 'dev'], settings)
  return { ports: { http, grpc, tls, grpcTls }, key: created.stdout.trim() }
}

/** The text of an example with what an operator replaces, and ports that are free. */
async function exampleOf(t: ExecutionContext, path: string, ports: Ports): Promise<string> {
  const { certificate, key } = await tlsFiles(t)
  const replaced: [string, string][] = [
    ['/etc/swaptide/tls/cert.pem', certificate],
    ['/etc/swaptide/tls/key.pem', key],
    [`${LOOPBACK}:8080`, `${LOOPBACK}:${ports.http}`],
    [`${LOOPBACK}:50051`, `${LOOPBACK}:${ports.grpc}`],
    ['50443', String(ports.grpcTls)],
    ['swaptide.example', 'localhost'],
  ]
  let text = readText(path).replaceAll(/^ *#.*\n/gm, '')
  for (const [from, to] of replaced) {
    t.true(text.includes(from), `${path} has ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

function startProxy(t: ExecutionContext, program: string, args: string[], folder: string): void {
  const env = { PATH: '/usr/bin:/bin', XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = spawn(program, args, { env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  let printed = ''
  child.stderr.on('data', (piece) => {
    printed += piece
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
    if (!t.passed) t.log(printed)
  })
}

const statusOf = (port: number, path: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    get({ host: 'localhost', port, path, ca: CERTIFICATE }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    }).on('error', () => resolve(undefined))
  })

const firstFrame = (port: number, key: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { 'X-API-Key': key }
    const socket = new WebSocket(`wss://localhost:${port}/ws/v1`, { ca: CERTIFICATE, headers })
    socket.once('error', reject)
    socket.once('message', (text) => {
      socket.close()
      resolve(String(text))
    })
  })

function firstMessage(port: number, key: string): Promise<Answer> {
  const client = openClient(`localhost:${port}`, credentials.createSsl(Buffer.from(CERTIFICATE)))
  return new Promise<Answer>((resolve, reject) => {
    const stream = client.Subscribe({}, withKey(key))
    stream.once('data', (message: Answer) => {
      stream.cancel()
      resolve(message)
    })
    stream.on('error', reject)
  }).finally(() => client.close())
}

async function expectServed(t: ExecutionContext, ports: Ports, key: string): Promise<void> {
  await until('the API is ready behind the proxy', BOUND_MS, async () => {
    return (await statusOf(ports.tls, '/readyz')) === 200
  })
  t.is(await statusOf(ports.tls, '/swaps?limit=1'), 401)
  t.is(await statusOf(ports.tls, `/swaps?limit=1&api_key=${key}`), 200)
  t.like(JSON.parse(await firstFrame(ports.tls, key)), { type: 'welcome', tier: 'pro' })
  t.like(await firstMessage(ports.grpcTls, key), { subscribed: { replay: false } })
}

const caddy = await findCaddy()
const isCaddyHere = typeof caddy !== 'string'
const withCaddy = isCaddyHere ? test : test.skip
const caddySuffix = isCaddyHere ? '' : ` (skipped: no Caddy: ${caddy})`

withCaddy(
  `Caddy serves REST, WebSocket and gRPC over TLS by its example${caddySuffix}`,
  async (t) => {
    const { ports, key } = await runningApi(t)
    const folder = await temporaryFolder(t)
    const example = await exampleOf(t, 'deploy/proxy/Caddyfile', ports)
    const config = join(folder, 'Caddyfile')
    const options = '{\n\tadmin off\n\tauto_https disable_redirects\n}\n'
    await writeFile(config, options + example.replace(/^localhost \{/m, `localhost:${ports.tls} {`))
    const program = isCaddyHere ? caddy.program : ''
    startProxy(t, program, ['run', '--config', config, '--adapter', 'caddyfile'], folder)
    await expectServed(t, ports, key)
  },
)

const withNginx = existsSync(NGINX) ? test : test.skip
const nginxSuffix = existsSync(NGINX) ? '' : ` (skipped: no "${NGINX}")`

withNginx(
  `nginx serves REST, WebSocket and gRPC over TLS by its example${nginxSuffix}`,
  async (t) => {
    const { ports, key } = await runningApi(t)
    const folder = await temporaryFolder(t)
    const example = await exampleOf(t, 'deploy/proxy/nginx.conf', ports)
    await mkdir(join(folder, 'temporary'))
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `  ${name}_temp_path ${folder}/temporary/${name};\n`,
    )
    const config = join(folder, 'nginx.conf')
    const http = example.replace('listen 443', `listen ${ports.tls}`)
    await writeFile(
      config,
      http.replace('http {\n', `http {\n  access_log off;\n${paths.join('')}`),
    )
    const settings = `daemon off; pid ${folder}/pid;`
    startProxy(t, NGINX, ['-c', config, '-e', 'stderr', '-g', settings], folder)
    await expectServed(t, ports, key)
  },
)
