// PostgreSQL 17 with TimescaleDB for one home: a cluster created once, its settings rewritten at every start
// (swaptide.conf, included by postgresql.conf; ALTER SYSTEM still wins over both). Commits are durable unless a test
// disables it. Only the loopback address, only by password. A cluster appears under its name when it is complete, so a
// killed first start leaves none.

import { appendFile, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, give, giveTree, privateFile, unprivileged } from '../account.ts'
import { runCommand } from '../command.ts'
import { isThere } from '../files/durable-file.ts'
import { type Prefix, userNames } from '../packages/prefix.ts'
import { LOOPBACK } from '../ports.ts'
import { isAlive } from '../state.ts'
import { createServer, OWN_FOLDER, type Server } from './server.ts'

export type PostgresOptions = {
  prefix: Prefix
  home: string
  port: number
  secret: string
  account: Account
  env: Readonly<Record<string, string>>
  isDurable: boolean
  /** Memory of the machine or the container. */
  memoryBytes: number
  /** Absent: chosen by the memory that there is. */
  sharedBuffersMib: number | undefined
  connectionsMax: number
  log: (line: string) => void
}

const DATABASE = 'swaptide'
/** Connections of an installation on one machine, with room for psql and exporters. */
export const CONNECTIONS_MAX = 100
const OWNER = 'swaptide'
const SETTINGS = 'swaptide.conf'
const MIB = 1024 * 1024
/** After a kill -9 the killed server's children release the shared memory when their statements end; the rest passes sooner. */
const MEMORY_IN_USE = /pre-existing shared memory block/
const RETRY_BOUND_MS = { memoryInUse: 60_000, other: 10_000 }

export function databaseUrl(port: number, secret: string): string {
  return `postgres://${OWNER}:${secret}@${LOOPBACK}:${port}/${DATABASE}`
}

function clusterFolder(home: string): string {
  return join(home, 'postgres')
}

/** Whether a home has a database, which retains the password of its creation. */
export function hasCluster(home: string): Promise<boolean> {
  return isThere(clusterFolder(home))
}

export function postgresServer(options: PostgresOptions): Server {
  const folder = clusterFolder(options.home)
  return createServer({
    name: 'PostgreSQL',
    port: options.port,
    folder,
    logFile: join(options.home, 'logs', 'postgres.log'),
    account: options.account,
    program: options.prefix.program('postgres'),
    setpriv: options.prefix.program('setpriv'),
    args: ['-D', OWN_FOLDER],
    env: serverEnv(options),
    stopSignal: 'SIGINT',
    retryBoundMs: (output) => RETRY_BOUND_MS[MEMORY_IN_USE.test(output) ? 'memoryInUse' : 'other'],
    prepare: async () => {
      await giveTree(options.account, folder)
      if (!(await isThere(folder))) await createCluster(options, folder)
      await privateFile(join(folder, SETTINGS), settings(options), options.account)
      await dropStalePidFile(join(folder, 'postmaster.pid'))
    },
    // The file of a killed server contains "ready" too, under the old pid.
    isReady: async (pid) => {
      const lines = await pidFileLines(join(folder, 'postmaster.pid'))
      return lines[0] === String(pid) && lines[7]?.trim() === 'ready'
    },
    log: options.log,
  })
}

/** Makes the database itself, in a cluster that runs; a start that was killed may have made it. */
export async function createDatabase(options: PostgresOptions): Promise<void> {
  const run = (program: 'createdb' | 'psql', args: readonly string[]): Promise<string> =>
    runCommand(
      options.prefix.program(program),
      ['-h', LOOPBACK, '-p', String(options.port), '-U', OWNER, '--no-password', ...args],
      { env: { ...serverEnv(options), PGPASSWORD: options.secret } },
    )
  try {
    await run('createdb', [DATABASE])
  } catch (failed) {
    const canEnter = await run('psql', ['-d', DATABASE, '-c', '\\q']).then(
      () => true,
      () => false,
    )
    if (!canEnter) throw failed
  }
}

/**
 * initdb needs an empty folder, so the password is passed as an open file on standard input, which is readable
 * regardless of folder permissions.
 */
async function createCluster(options: PostgresOptions, folder: string): Promise<void> {
  const scratch = `${folder}.new`
  const secretPath = `${folder}.secret`
  await rm(scratch, { recursive: true, force: true })
  await mkdir(scratch, { mode: 0o700 })
  await privateFile(secretPath, `${options.secret}\n`, options.account)
  await give(options.account, scratch)
  const secretFile = await open(secretPath)
  try {
    await runCommand(
      options.prefix.program('setpriv'),
      [
        ...unprivileged(options.account, 'SIGTERM'),
        options.prefix.program('initdb'),
        ...['-D', OWN_FOLDER, '-U', OWNER, '--pwfile=/proc/self/fd/0'],
        ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'],
        ...['--no-sync', '--no-instructions'],
        // To prove a password takes 1 ms of CPU a connection otherwise, and tests open thousands.
        ...(options.isDurable ? [] : ['--set=scram_iterations=1']),
      ],
      {
        cwd: scratch,
        env: { ...serverEnv(options), ...userNames(options.prefix, options.account) },
        inputFile: secretFile.fd,
      },
    )
    await appendFile(join(scratch, 'postgresql.conf'), `\ninclude '${SETTINGS}'\n`)
    await rename(scratch, folder)
  } finally {
    await secretFile.close()
    await rm(secretPath)
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The zone is GMT, the one that needs no zone files of the host; naming it spares initdb a search. */
function serverEnv(options: PostgresOptions): Record<string, string> {
  return { ...options.env, TZ: 'GMT', LC_ALL: 'C' }
}

function settings(options: PostgresOptions): string {
  const mib = Math.floor(options.memoryBytes / MIB)
  const values: [string, string | number][] = [
    ['listen_addresses', LOOPBACK],
    ['port', options.port],
    ['unix_socket_directories', ''],
    ['max_connections', options.connectionsMax],
    ['shared_preload_libraries', 'timescaledb'],
    ['timescaledb.telemetry_level', 'off'],
    ['timescaledb.max_background_workers', 2],
    ['max_worker_processes', 12],
    // A query over the whole history of a wallet locks every chunk with its indexes until it ends: 7,300 in a busy
    // year, and ten connections of the API may run one at once. The lock table takes 40 MB.
    ['max_locks_per_transaction', 1024],
    // Queries here are short, and the compiler is not part of the stack.
    ['jit', 'off'],
    ['shared_buffers', `${buffersMib(options)}MB`],
    ['huge_pages', 'try'],
    ['effective_cache_size', `${clamp(mib / 2, 256, 65_536)}MB`],
    ['maintenance_work_mem', `${clamp(mib / 32, 64, 512)}MB`],
    ['work_mem', '16MB'],
    ['random_page_cost', '1.1'],
    ['effective_io_concurrency', 200],
    // Few, long checkpoints: each makes the first change of every page go to the log whole.
    ['max_wal_size', '4GB'],
    ['min_wal_size', options.isDurable ? '512MB' : '80MB'],
    ['checkpoint_timeout', '15min'],
    ['checkpoint_completion_target', '0.9'],
    ['wal_compression', 'lz4'],
    ['wal_buffers', '16MB'],
    ['fsync', options.isDurable ? 'on' : 'off'],
    ['full_page_writes', options.isDurable ? 'on' : 'off'],
    ['synchronous_commit', 'on'],
    // Tables that only grow are vacuumed for the visibility map, hot small ones for their size. Each vacuum and
    // analysis of a table makes every connection plan its statements again, and its reads and sorts slow requests down:
    // so they run rarely, in small steps, and with samples as small as these plans allow.
    ['autovacuum_vacuum_scale_factor', '0.05'],
    ['autovacuum_analyze_scale_factor', '0.2'],
    ['autovacuum_vacuum_cost_limit', 400],
    ['default_statistics_target', 30],
    ['timezone', 'GMT'],
    ['log_timezone', 'GMT'],
    ['log_line_prefix', '%m [%p] '],
    ['log_checkpoints', 'off'],
  ]
  const lines = values.map(([name, value]) => `${name} = '${value}'`)
  return `# Written at every start of the embedded stack.\n${lines.join('\n')}\n`
}

/**
 * An eighth of the machine, 1 GiB at most unless it is set: the needs of other programs are unknown, and the kernel
 * caches the server's files. A temporary database needs little.
 */
export function defaultBuffersMib(mib: number, isDurable: boolean): number {
  return clamp(mib / 8, 128, isDurable ? 1_024 : 256)
}

function buffersMib({ sharedBuffersMib, memoryBytes, isDurable }: PostgresOptions): number {
  return sharedBuffersMib ?? defaultBuffersMib(Math.floor(memoryBytes / MIB), isDurable)
}

function clamp(value: number, low: number, high: number): number {
  return Math.floor(Math.min(high, Math.max(low, value)))
}

/**
 * PostgreSQL trusts the pid of its pid file when any program of the same account bears it now,
 * and then refuses to start. The caller holds the home's lock and has ended left-over servers, so such a program is a
 * stranger. A dead pid stays: PostgreSQL then checks its shared memory.
 */
async function dropStalePidFile(path: string): Promise<void> {
  const pid = Number((await pidFileLines(path))[0])
  if (pid > 0 && isAlive(pid)) await rm(path)
}

async function pidFileLines(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8').catch(() => '')).split('\n')
}
