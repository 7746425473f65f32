// The embedded stack: PostgreSQL with TimescaleDB, NATS with JetStream and Redis for one home
// folder, started together and stopped together, with nothing installed on the host. Each listens on the loopback
// address only and has a separate random password, stored in stack.json. One program at a time may hold a home;
// servers that a killed one left running are ended before their data is touched.

import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { privateFolder, serverAccount } from './account.ts'
import { type Lock, lockFolder } from './files/lock.ts'
import { type CallerEnv, memoryBytes, toolEnv } from './host.ts'
import { hostPrefix } from './packages/host-prefix.ts'
import { choosePorts } from './ports.ts'
import { natsServer, natsUrl } from './servers/nats.ts'
import {
  CONNECTIONS_MAX,
  createDatabase,
  databaseUrl,
  hasCluster,
  type PostgresOptions,
  postgresServer,
} from './servers/postgres.ts'
import { redisServer, redisUrl } from './servers/redis.ts'
import { endOrphan, type Server } from './servers/server.ts'
import {
  type Ports,
  programOf,
  readState,
  type StackState,
  type StackUrls,
  writeState,
} from './state.ts'
import { holdsWithin } from './waiting.ts'

export type StackOptions = {
  /** Folder of all persistent files: postgres/, nats/, redis/, logs/ and stack.json. */
  home: string
  log: (line: string) => void
  /** Zero or absent: a free port, stored for later starts on this home. */
  ports?: Partial<Ports>
  /** False for tests: writes are not synced to the disk, and a crash of the machine may lose the data. */
  durable?: boolean
  /** PostgreSQL's shared buffers; absent: 1 GiB at most. */
  sharedBuffersMib?: number | undefined
  /** PostgreSQL's connections; absent: as one installation needs. */
  connectionsMax?: number | undefined
  /** URL of Debian's main archive and, after a space, of its security archive. */
  debianMirror?: string | undefined
  /** The folder of the unpacked programs; the account's cache folder by default. */
  cacheDir?: string | undefined
  /** The caller's environment; PATH, HOME, XDG_CACHE_HOME and the proxies' variables are used. */
  env?: CallerEnv
}

export type Stack = StackUrls & {
  servers: { postgres: Server; nats: Server; redis: Server }
  stop(): Promise<void>
}

/** A program that was just killed holds its lock for a moment more. */
const LOCK_BOUND_MS = 1000
const SERVER_FOLDERS = ['postgres', 'nats', 'redis'] as const

/** Another program runs a stack on this home. */
export class HomeInUse extends Error {
  override name = 'HomeInUse'

  constructor(home: string, pid: number | undefined) {
    const who = pid === undefined ? 'another process' : `process ${pid}`
    super(
      `"${home}" is in use by ${who}: stop that one first, or set SWAPTIDE_HOME to another folder`,
    )
  }
}

/**
 * The running stack. Throws StackUnavailable where the programs cannot be had, HomeInUse, PortTaken,
 * or an Error with a server's last words.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const env = toolEnv(options.env ?? {})
  // Systems without such numbers are refused by ensurePrefix, with the reason.
  const uid = process.getuid?.() ?? -1
  const { cacheDir, debianMirror, log } = options
  const prefix = await hostPrefix({ environment: options.env ?? {}, cacheDir, debianMirror, log })
  const home = resolve(options.home)
  await mkdir(home, { recursive: true })
  const lock = await lockHome(home)
  try {
    const found = await readState(home)
    // A log holds statements that failed, with their values.
    await privateFolder(join(home, 'logs'), undefined)
    const secrets = found?.secrets ?? { nats: randomSecret(), redis: randomSecret() }
    const state: StackState = {
      ports: found?.ports ?? {},
      secret: found?.secret ?? (await newSecret(home)),
      secrets,
      hasDatabase: found?.hasDatabase ?? false,
      holder: programOf(process.pid),
    }
    await Promise.all(SERVER_FOLDERS.map((name) => endOrphan(join(home, name), options.log)))
    const ports = await choosePorts(options.ports ?? {}, state.ports, options.log)
    state.ports = ports
    await writeState(home, state)
    const shared = {
      prefix,
      home,
      account: serverAccount(uid),
      env: { PATH: env.PATH },
      isDurable: options.durable ?? true,
      sharedBuffersMib: options.sharedBuffersMib,
      connectionsMax: options.connectionsMax ?? CONNECTIONS_MAX,
      log: options.log,
    }
    return await startServers(shared, ports, { ...state, secrets }, lock)
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function lockHome(home: string): Promise<Lock> {
  let lock: Lock | undefined
  await holdsWithin(LOCK_BOUND_MS, async () => {
    lock = await lockFolder(home)
    return lock !== undefined
  })
  if (lock !== undefined) return lock
  const state = await readState(home).catch(() => undefined)
  throw new HomeInUse(home, state?.holder?.pid)
}

/** Not for a database that has one already: that would be lost for good. */
async function newSecret(home: string): Promise<string> {
  if (!(await hasCluster(home))) return randomSecret()
  throw new Error(
    `"${home}" has a database and no stack.json, which holds its password: put the file back, ` +
      'or set SWAPTIDE_HOME to another folder',
  )
}

const randomSecret = (): string => randomBytes(24).toString('hex')

type Shared = Omit<PostgresOptions, 'port' | 'secret' | 'memoryBytes'>

async function startServers(
  shared: Shared,
  ports: Ports,
  state: StackState & Required<Pick<StackState, 'secrets'>>,
  lock: Lock,
): Promise<Stack> {
  const { home } = shared
  const { secret, secrets } = state
  const postgresOptions = { ...shared, port: ports.postgres, secret, memoryBytes: memoryBytes() }
  const servers = {
    postgres: postgresServer(postgresOptions),
    nats: natsServer({ ...shared, port: ports.nats, secret: secrets.nats }),
    redis: redisServer({ ...shared, port: ports.redis, secret: secrets.redis }),
  }
  const all = Object.values(servers)
  const stopAll = async (): Promise<void> => {
    await Promise.all(all.map((server) => server.stop()))
  }
  const started = await Promise.allSettled(all.map((server) => server.start()))
  const failed = started.find((start) => start.status === 'rejected')
  try {
    if (failed !== undefined) throw failed.reason
    if (!state.hasDatabase) await createDatabase(postgresOptions)
    state.hasDatabase = true
    const urls = {
      databaseUrl: databaseUrl(ports.postgres, secret),
      natsUrl: natsUrl(ports.nats, secrets.nats),
      redisUrl: redisUrl(ports.redis, secrets.redis),
    }
    state.urls = urls
    await writeState(home, state)
    const stop = async (): Promise<void> => {
      await stopAll()
      const { holder: _, ...stored } = state
      await writeState(home, stored)
      await lock.release()
    }
    return { ...urls, servers, stop }
  } catch (error) {
    await stopAll()
    throw error
  }
}
