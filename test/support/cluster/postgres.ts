/**
 * A PostgreSQL primary with streaming standbys, of the embedded programs, for one test: each on a free port, in a
 * folder of the test, ended with it. A standby is a base backup of the primary that follows its log.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import pg from 'pg'
import { give, privateFolder, serverAccount, unprivileged } from '../../../deploy/local/account.ts'
import { runCommand } from '../../../deploy/local/command.ts'
import { memoryBytes, toolEnv } from '../../../deploy/local/host.ts'
import { hostPrefix } from '../../../deploy/local/packages/host-prefix.ts'
import { LOOPBACK } from '../../../deploy/local/ports.ts'
import {
  createDatabase,
  databaseUrl,
  type PostgresOptions,
  postgresServer,
} from '../../../deploy/local/servers/postgres.ts'
import type { Server } from '../../../deploy/local/servers/server.ts'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import { ownPort } from '../servers/own-port.ts'
import { stackDefaults, temporaryFolder } from '../servers/servers.ts'
import { type Disk, smallDisk } from './disk.ts'

type ClusterNode = {
  url: string
  server: Server
  /** Absent unless the cluster was started with small ones. */
  disk: Disk | undefined
}

/** A standby, or a primary that may become one. */
export type Standby = ClusterNode & {
  /** The standby receives the log and applies none of it, until `resumeReplay`. */
  pauseReplay(): Promise<void>
  resumeReplay(): Promise<void>
  /** Ends recovery; resolves when the server accepts writes. */
  promote(): Promise<void>
  /** Becomes a new copy of another node and follows it; what it had is removed. */
  follow(primary: ClusterNode): Promise<void>
  /** Resolves when the standby has applied all that the primary has written until now. */
  catchUp(): Promise<void>
}

type PostgresCluster = {
  primary: Standby
  standbys: readonly Standby[]
  /** The URL of a node for another database of the cluster. */
  inDatabase(node: Pick<ClusterNode, 'url'>, database: string): string
}

const SECRET = 'only-for-this-test'
const CATCH_UP_MS = 120_000

export async function postgresCluster(
  t: ExecutionContext,
  { standbys: count = 1, connectionsMax = 60, diskMib }: ClusterOptions = {},
): Promise<PostgresCluster> {
  const options = { ...(await serverOptions(t, connectionsMax)), diskMib }
  const primary = controlled(await startNode(t, options))
  await createDatabase(primary.options)
  // A standby that was away finds the log that it lacks, and the log leaves room on a small disk.
  const sizes = { wal_keep_size: '256MB', min_wal_size: '128MB', max_wal_size: '512MB' }
  for (const [name, size] of Object.entries(sizes))
    await onNode(primary, `alter system set ${name} = '${size}'`)
  await onNode(primary, 'select pg_reload_conf()')
  const standbys: Standby[] = []
  for (let number = 0; number < count; number += 1) {
    standbys.push(await startStandby(t, options, primary))
  }
  return {
    primary,
    standbys,
    inDatabase(node, database) {
      const url = new URL(node.url)
      url.pathname = `/${database}`
      return url.href
    },
  }
}

/** `diskMib`: each node has a disk of that size for itself. */
type ClusterOptions = {
  standbys?: number
  connectionsMax?: number
  diskMib?: number | undefined
}

type Shared = Omit<PostgresOptions, 'home' | 'port'> & { diskMib?: number | undefined }

async function serverOptions(
  t: ExecutionContext,
  connectionsMax: number,
): Promise<Omit<PostgresOptions, 'home' | 'port'>> {
  const { env = {}, debianMirror, log } = stackDefaults((line) => t.log(line))
  const uid = process.getuid?.() ?? 0
  const prefix = await hostPrefix({ environment: env, debianMirror, log })
  return {
    ...{ prefix, log, connectionsMax, secret: SECRET, account: serverAccount(uid) },
    // A standby needs the full pages that a server without durability does not log.
    ...{ env: { PATH: toolEnv(env).PATH }, isDurable: true, memoryBytes: memoryBytes() },
    ...{ sharedBuffersMib: 64 },
  }
}

type StartedNode = ClusterNode & { options: PostgresOptions }
const FOLDER = 'postgres'

/** `prepare` fills the home before the start; absent: a new cluster is created there. */
async function startNode(
  t: ExecutionContext,
  shared: Shared,
  prepare: (home: string) => Promise<void> = async () => {},
): Promise<StartedNode> {
  const home = await temporaryFolder(t)
  const { diskMib } = shared
  const disk = diskMib === undefined ? undefined : await smallDisk(t, home, diskMib)
  await privateFolder(join(home, 'logs'), undefined)
  await prepare(home)
  const options = { ...shared, home, port: await ownPort() }
  const server = postgresServer(options)
  t.teardown(() => server.stop())
  await server.start()
  return { options, server, disk, url: databaseUrl(options.port, SECRET) }
}

async function startStandby(
  t: ExecutionContext,
  shared: Shared,
  primary: StartedNode,
): Promise<Standby> {
  const copied = (home: string) => copyPrimary(primary, join(home, FOLDER))
  return controlled(await startNode(t, shared, copied), primary)
}

function controlled(node: StartedNode, from?: ClusterNode): Standby & StartedNode {
  let followed = from
  return {
    ...node,
    pauseReplay: () => onNode(node, 'select pg_wal_replay_pause()').then(() => {}),
    resumeReplay: () => onNode(node, 'select pg_wal_replay_resume()').then(() => {}),
    promote: () => onNode(node, 'select pg_promote()').then(() => {}),
    async follow(primary) {
      await node.server.stop()
      const folder = join(node.options.home, FOLDER)
      await rm(folder, { recursive: true })
      await copyPrimary({ ...node, url: primary.url }, folder)
      await node.server.start()
      followed = primary
    },
    async catchUp() {
      if (followed === undefined) throw new Error('this node follows none')
      const [end] = await onNode(followed, 'select pg_current_wal_flush_lsn() as lsn')
      const text = 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as is_there'
      const isThere = async () => (await onNode(node, text, [end?.lsn]))[0]?.is_there === true
      if (!(await holdsWithin(CATCH_UP_MS, isThere))) throw new Error('the standby does not follow')
    },
  }
}

/** A base backup with the settings of a standby (`-R`), as the account of the server. */
async function copyPrimary({ options, url }: StartedNode, folder: string): Promise<void> {
  const { prefix, account, env } = options
  await mkdir(folder, { mode: 0o700 })
  await give(account, folder)
  await runCommand(
    'setpriv',
    [
      ...unprivileged(account, 'SIGTERM'),
      prefix.program('pg_basebackup'),
      ...['-h', LOOPBACK, '-p', new URL(url).port, '-U', 'swaptide', '--no-password'],
      ...['-D', '.', '-R', '-X', 'stream', '--checkpoint=fast', '--no-sync'],
    ],
    { cwd: folder, env: { ...env, LC_ALL: 'C', TZ: 'GMT', PGPASSWORD: SECRET } },
  )
}

/** One statement on a connection of its own. */
export async function onNode(
  { url }: Pick<ClusterNode, 'url'>,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}
