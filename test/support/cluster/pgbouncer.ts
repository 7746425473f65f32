/**
 * Debian's PgBouncer in transaction pooling before a PostgreSQL server, for one test. The program and its libraries are
 * fetched once into the cache folder of the embedded stack, from the same archive; the host is left alone.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { give, serverAccount } from '../../../deploy/local/account.ts'
import { toolEnv } from '../../../deploy/local/host.ts'
import { hostPrefix } from '../../../deploy/local/packages/host-prefix.ts'
import { LOOPBACK } from '../../../deploy/local/ports.ts'
import { createServer, type Server } from '../../../deploy/local/servers/server.ts'
import { unpackedPackages } from '../servers/debian/packages.ts'
import { ownPort } from '../servers/own-port.ts'
import { stackDefaults, temporaryFolder } from '../servers/servers.ts'

export type Bouncer = {
  /** The URL of the server with the port of the pooler. */
  url: string
  server: Server
}

/** Pools the databases of the server of `databaseUrl`, with `poolSize` connections to each; ended with the test. */
export async function pgBouncer(
  t: ExecutionContext,
  databaseUrl: string,
  { poolSize = 4 }: { poolSize?: number } = {},
): Promise<Bouncer> {
  const { env = {}, debianMirror, log } = stackDefaults((line) => t.log(line))
  const prefix = await hostPrefix({ environment: env, debianMirror, log })
  const uid = process.getuid?.() ?? 0
  const { folder: root, platform } = await unpackedPackages('pgbouncer', ['pgbouncer'], {
    withLibraries: true,
  })
  const { loader, libraries } = platform
  const target = new URL(databaseUrl)
  const port = await ownPort()
  const account = serverAccount(uid)
  const home = await temporaryFolder(t)
  const folder = join(home, 'pgbouncer')
  await mkdir(folder, { mode: 0o700 })
  await writeFile(join(folder, 'users.txt'), `"${target.username}" "${target.password}"\n`)
  await writeFile(join(folder, 'pgbouncer.ini'), configOf(target, port, poolSize))
  await give(account, folder, join(folder, 'users.txt'), join(folder, 'pgbouncer.ini'))
  const server = createServer({
    ...{ name: 'PgBouncer', port, folder, account, stopSignal: 'SIGINT' },
    logFile: join(home, 'pgbouncer.log'),
    program: join(root, libraries, loader),
    setpriv: prefix.program('setpriv'),
    args: [
      ...['--inhibit-cache', '--library-path', join(root, libraries)],
      ...[join(root, 'usr/sbin/pgbouncer'), 'pgbouncer.ini'],
    ],
    env: { PATH: toolEnv(env).PATH, LC_ALL: 'C', TZ: 'GMT' },
    isReady: () => accepts(port),
    log,
  })
  t.teardown(() => server.stop())
  await server.start()
  const url = new URL(databaseUrl)
  url.port = String(port)
  return { url: url.href, server }
}

/** Not by a listening probe: it would hold the port at the moment at which the program binds it. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, LOOPBACK)
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

function configOf(target: URL, port: number, poolSize: number): string {
  const settings: [string, string | number][] = [
    ['listen_addr', LOOPBACK],
    ['listen_port', port],
    ['unix_socket_dir', ''],
    ['auth_type', 'scram-sha-256'],
    ['auth_file', 'users.txt'],
    ['pool_mode', 'transaction'],
    ['default_pool_size', poolSize],
    ['max_client_conn', 500],
    // A pool that is too small is seen as an error of a statement, before a test gives up.
    ['query_wait_timeout', 15],
  ]
  const lines = settings.map(([name, value]) => `${name} = ${value}`)
  const server = `host=${target.hostname} port=${target.port}`
  return `[databases]\n* = ${server}\n[pgbouncer]\n${lines.join('\n')}\n`
}
