/**
 * Debian's PgBouncer in transaction pooling before a PostgreSQL server, for one test. The program and its libraries are
 * fetched once into the cache folder of the embedded stack, by the same private apt; the host is left alone.
 */
import { access, chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { give, serverAccount } from '../../../deploy/local/account.ts'
import { runCommand } from '../../../deploy/local/command.ts'
import { defaultCacheDir, type ToolEnv, toolEnv } from '../../../deploy/local/host.ts'
import { debianSources, privateApt } from '../../../deploy/local/packages/apt.ts'
import { closure } from '../../../deploy/local/packages/prefix.ts'
import { freePort, isFree, LOOPBACK } from '../../../deploy/local/ports.ts'
import { createServer, type Server } from '../../../deploy/local/servers/server.ts'
import { stackDefaults, temporaryFolder } from '../servers/servers.ts'

export type Bouncer = {
  /** The URL of the server with the port of the pooler. */
  url: string
  server: Server
}

const ROOT = 'pgbouncer'
/** After a kill a socket may hold the port for a moment. */
const RETRY_BOUND_MS = 60_000
const PLATFORMS: Readonly<Record<string, { debian: string; libraries: string; loader: string }>> = {
  x64: {
    debian: 'amd64',
    libraries: 'usr/lib/x86_64-linux-gnu',
    loader: 'ld-linux-x86-64.so.2',
  },
  arm64: {
    debian: 'arm64',
    libraries: 'usr/lib/aarch64-linux-gnu',
    loader: 'ld-linux-aarch64.so.1',
  },
}

/** Pools the databases of the server of `databaseUrl`, with `poolSize` connections to each; ended with the test. */
export async function pgBouncer(
  t: ExecutionContext,
  databaseUrl: string,
  { poolSize = 4 }: { poolSize?: number } = {},
): Promise<Bouncer> {
  const { env = {}, log } = stackDefaults((line) => t.log(line))
  const uid = process.getuid?.() ?? 0
  const { root, loader, libraries } = await findProgram(uid)
  const target = new URL(databaseUrl)
  const port = await freePort()
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
    args: [
      ...['--inhibit-cache', '--library-path', join(root, libraries)],
      ...[join(root, 'usr/sbin/pgbouncer'), 'pgbouncer.ini'],
    ],
    env: { PATH: toolEnv(env).PATH, LC_ALL: 'C', TZ: 'GMT' },
    isReady: async () => !(await isFree(port)),
    retryBoundMs: RETRY_BOUND_MS,
    log,
  })
  t.teardown(() => server.stop())
  await server.start()
  const url = new URL(databaseUrl)
  url.port = String(port)
  return { url: url.href, server }
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

type Program = { root: string; loader: string; libraries: string }

async function findProgram(uid: number): Promise<Program> {
  const { debianMirror, env = {} } = stackDefaults(() => {})
  const platform = PLATFORMS[process.arch]
  if (platform === undefined) throw new Error(`no PgBouncer for "${process.arch}"`)
  const cacheDir = defaultCacheDir(uid, env)
  const root = join(cacheDir, 'pgbouncer-for-tests')
  const isThere = await access(root).then(
    () => true,
    () => false,
  )
  if (!isThere) await fetchInto(cacheDir, root, debianMirror, platform.debian, toolEnv(env))
  return { root, loader: platform.loader, libraries: platform.libraries }
}

async function fetchInto(
  cacheDir: string,
  folder: string,
  debianMirror: string | undefined,
  architecture: string,
  env: ToolEnv,
): Promise<void> {
  await mkdir(cacheDir, { recursive: true })
  // Not named as the stack's own scratch folders, which its build removes.
  const scratch = await mkdtemp(join(cacheDir, 'fetching-'))
  const [apt, packages, root] = [
    join(scratch, 'apt'),
    join(scratch, 'packages'),
    join(scratch, 'root'),
  ]
  try {
    for (const each of [apt, packages, root]) await mkdir(each)
    const archive = await privateApt(apt, await debianSources(debianMirror), architecture, env)
    await archive.update()
    await archive.download(closure([ROOT], await archive.dependencies([ROOT])), packages)
    for (const file of await readdir(packages)) {
      await runCommand('dpkg-deb', ['-x', join(packages, file), root], { env })
    }
    await chmod(root, 0o755)
    // Another test run may have been faster: then its copy stays.
    await rename(root, folder).catch(() => access(folder))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
