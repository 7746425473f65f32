/**
 * What the environment says, checked and named once: the only reader of process.env.
 *
 * Every bad value is reported with the value in quotes and what was expected; an empty variable counts
 * as not set, because compose files and shells write it that way. A variable that begins with SWAPTIDE_ and
 * that nothing reads is refused: the one that was meant would keep its default.
 */
import { resolve } from 'node:path'
import { insteadOf, nearestName } from '../domain/text/nearest-name.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type ServerUrls = { databaseUrl: string; natsUrl: string; redisUrl: string }
export type Environment = Readonly<Record<string, string | undefined>>

/** That of this process. */
export const ENVIRONMENT: Environment = process.env

/** Whether npm or npx runs this process, in a shell of its own. */
export const isRunByNpm = (environment: Environment): boolean =>
  environment.npm_execpath !== undefined

export type Config = {
  /** Absolute path of SWAPTIDE_HOME. */
  home: string
  host: string
  port: number
  grpcPort: number
  /** Connections of clients that a process of the API holds; absent: its own bound. */
  clientsMax: number | undefined
  /** Where processes are scraped; absent: nowhere, and with `up` on any ports that are free. */
  metricsPort: number | undefined
  metricsHost: string
  /** PEM files; absent: gRPC in the clear. */
  grpcTls: { certificate: string; key: string } | undefined
  /** Operators' key (ADMIN_TOKEN). */
  adminKey: string | undefined
  /** Servers of one's own; absent: the embedded stack. */
  servers: ServerUrls | undefined
  balanceRpcUrl: string | undefined
  /** US dollars a SOL, until swaps of USDC or USDT say so. */
  solUsdFallback: number | undefined
  /** Where callers on too low a tier are sent; absent: to the reference of the API. */
  upgradeUrl: string | undefined
  /** Absent: each command has its own default. */
  logLevel: LogLevel | undefined
  debianMirror: string | undefined
  cacheDir: string | undefined
  /** Whether CPU priorities and the kernel's huge pages may be changed (deploy/tuning/). */
  isTuned: boolean
  /** Shared buffers of the embedded PostgreSQL in MiB; absent: 1 GiB at most. */
  sharedBuffersMib: number | undefined
  /** Keeps installations on one NATS apart: `` or `name.`. */
  prefix: string
  /** Absent: what the streams were created with. */
  laneCount: number | undefined
  /** Ages in days beyond which the retention job lets go; absent: kept for ever. */
  retention: { ingestRunDays?: number; deadLetterDays?: number; conflictDays?: number }
  /** The whole environment, to be handed on to processes that this one starts. */
  environment: Environment
}

export class ConfigError extends Error {
  override name = 'ConfigError'
}

const LANE_COUNT_MAX = 64
const PORT_MAX = 65_535
const CLIENTS_MAX = 1_000_000
const RETENTION_DAYS_MAX = 36_500
const ADMIN_KEY_LENGTH_MIN = 16
const SHARED_BUFFERS_MIB_MIN = 16

export function readConfig(environment: Environment): Config {
  const faults: string[] = []
  const read = reader(environment, faults)
  const config: Config = {
    home: resolve(read.text('SWAPTIDE_HOME') ?? '.swaptide'),
    host: read.text('HOST') ?? '127.0.0.1',
    port: read.integer('PORT', 8080, PORT_MAX),
    grpcPort: read.integer('GRPC_PORT', 50_051, PORT_MAX),
    clientsMax: read.text('CONNECTIONS_MAX')
      ? read.integer('CONNECTIONS_MAX', 1, CLIENTS_MAX, 1)
      : undefined,
    metricsPort: read.text('METRICS_PORT') ? read.integer('METRICS_PORT', 0, PORT_MAX) : undefined,
    metricsHost: read.text('METRICS_HOST') ?? '127.0.0.1',
    grpcTls: readGrpcTls(read, faults),
    adminKey: readAdminKey(read, faults),
    servers: readServers(read, faults),
    balanceRpcUrl: read.url('BALANCE_RPC_URL', ['http:', 'https:']),
    solUsdFallback: read.rate('SOL_USD_FALLBACK'),
    upgradeUrl: read.url('UPGRADE_URL', ['http:', 'https:']),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS),
    debianMirror: read.text('SWAPTIDE_DEBIAN_MIRROR'),
    cacheDir: read.text('SWAPTIDE_CACHE'),
    isTuned: read.oneOf('SWAPTIDE_TUNE', ['0', '1']) === '1',
    sharedBuffersMib: read.mebibytes('POSTGRES_SHARED_BUFFERS', SHARED_BUFFERS_MIB_MIN),
    prefix: readPrefix(read, faults),
    laneCount: read.text('LANES') ? read.integer('LANES', 1, LANE_COUNT_MAX, 1) : undefined,
    retention: readRetention(read),
    environment,
  }
  faults.push(...unknownVariables(environment, read.names))
  if (faults.length > 0) throw new ConfigError(faults.join('; '))
  return config
}

const OWN_PREFIX = 'SWAPTIDE_'

/** Refusals of variables that claim to be ours and are none of those that were read. */
function unknownVariables(environment: Environment, read: ReadonlySet<string>): string[] {
  const known = [...read]
  const own = known.filter((name) => name.startsWith(OWN_PREFIX))
  return Object.keys(environment)
    .filter((name) => name.startsWith(OWN_PREFIX) && !read.has(name) && environment[name]?.trim())
    .map((name) => {
      const meant = nearestName(name, known)
      const expected = meant === null ? `use one of ${own.join(' ')}` : `did you mean "${meant}"?`
      return `unknown variable "${name}": ${expected}`
    })
}

type Reader = ReturnType<typeof reader>

function reader(environment: Environment, faults: string[]) {
  const names = new Set<string>()
  const text = (name: string): string | undefined => {
    names.add(name)
    return environment[name]?.trim() || undefined
  }

  const integer = (name: string, absent: number, max: number, min = 0): number => {
    const given = text(name)
    if (given === undefined) return absent
    const value = Number(given)
    if (/^\d+$/.test(given) && value >= min && value <= max) return value
    faults.push(`${name} "${given}": expected an integer of ${min} to ${max}`)
    return absent
  }

  /** A decimal above 0. */
  const rate = (name: string): number | undefined => {
    const given = text(name)
    if (given === undefined) return undefined
    if (/^\d{1,9}(\.\d{1,9})?$/.test(given) && Number(given) > 0) return Number(given)
    faults.push(`${name} "${given}": expected US dollars a SOL, such as 150.25`)
    return undefined
  }

  const oneOf = <Choice extends string>(
    name: string,
    choices: readonly Choice[],
  ): Choice | undefined => {
    const given = text(name)
    const found = choices.find((choice) => choice === given)
    if (given !== undefined && found === undefined) {
      faults.push(`${name} "${given}": ${insteadOf(given, choices)}`)
    }
    return found
  }

  /** A URL may hold a password, so a bad one is not repeated in the message. */
  const url = (name: string, protocols: readonly string[]): string | undefined => {
    const given = text(name)
    if (given === undefined) return undefined
    const isOne = URL.canParse(given) && protocols.includes(new URL(given).protocol)
    if (!isOne)
      faults.push(`${name}: expected a URL that begins with ${protocols.join('// or ')}//`)
    return given
  }

  const days = (name: string): number | undefined =>
    text(name) === undefined ? undefined : integer(name, 0, RETENTION_DAYS_MAX, 1)

  /** A size in MB or GB, as PostgreSQL writes it. */
  const mebibytes = (name: string, min: number): number | undefined => {
    const given = text(name)
    if (given === undefined) return undefined
    const [, count, unit] = /^(\d{1,7}) ?(MB|GB)$/.exec(given) ?? []
    const value = Number(count) * (unit === 'GB' ? 1_024 : 1)
    if (value >= min) return value
    faults.push(`${name} "${given}": expected a size of ${min}MB or more, such as 512MB or 4GB`)
    return undefined
  }

  return { text, integer, days, rate, oneOf, url, mebibytes, names }
}

/** One that can be guessed is none, nor one that no header carries; it is not repeated in the message. */
function readAdminKey(read: Reader, faults: string[]): string | undefined {
  const given = read.text('ADMIN_TOKEN')
  const isGood =
    given === undefined || (given.length >= ADMIN_KEY_LENGTH_MIN && /^[\x21-\x7e]+$/.test(given))
  if (!isGood)
    faults.push(
      `ADMIN_TOKEN: expected ${ADMIN_KEY_LENGTH_MIN} characters of ASCII or more, without spaces`,
    )
  return given
}

function readRetention(read: Reader): Config['retention'] {
  const ingestRunDays = read.days('RETENTION_INGEST_RUN_DAYS')
  const deadLetterDays = read.days('RETENTION_DEAD_LETTER_DAYS')
  const conflictDays = read.days('RETENTION_CONFLICT_DAYS')
  return {
    ...(ingestRunDays === undefined ? {} : { ingestRunDays }),
    ...(deadLetterDays === undefined ? {} : { deadLetterDays }),
    ...(conflictDays === undefined ? {} : { conflictDays }),
  }
}

function readServers(read: Reader, faults: string[]): ServerUrls | undefined {
  const urls = {
    DATABASE_URL: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    NATS_URL: read.url('NATS_URL', ['nats:', 'tls:']),
    REDIS_URL: read.url('REDIS_URL', ['redis:', 'rediss:']),
  }
  const { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, REDIS_URL: redisUrl } = urls
  if (databaseUrl && natsUrl && redisUrl) return { databaseUrl, natsUrl, redisUrl }
  const names = Object.entries(urls)
  const absent = names.filter(([, value]) => value === undefined).map(([name]) => name)
  if (absent.length < names.length) {
    faults.push(
      `${absent.join(' and ')} not set: set all of DATABASE_URL, NATS_URL and REDIS_URL, or none`,
    )
  }
  return undefined
}

function readGrpcTls(read: Reader, faults: string[]): Config['grpcTls'] {
  const certificate = read.text('GRPC_TLS_CERT')
  const key = read.text('GRPC_TLS_KEY')
  if (certificate === undefined && key === undefined) return undefined
  if (certificate !== undefined && key !== undefined) return { certificate, key }
  const absent = certificate === undefined ? 'GRPC_TLS_CERT' : 'GRPC_TLS_KEY'
  faults.push(`${absent} not set: set both of GRPC_TLS_CERT and GRPC_TLS_KEY, or none`)
  return undefined
}

function readPrefix(read: Reader, faults: string[]): string {
  const given = read.text('SWAPTIDE_STREAM_PREFIX')
  if (given === undefined) return ''
  if (/^[a-z0-9_-]{1,32}$/.test(given)) return `${given}.`
  faults.push(
    `SWAPTIDE_STREAM_PREFIX "${given}": expected 1 to 32 of the characters a-z, 0-9, "-" and "_"`,
  )
  return ''
}

/** The environment for a process of this installation: what this one was given, and its servers. */
export function environmentFor(config: Config, servers: ServerUrls): Record<string, string> {
  const handedOn: Record<string, string> = {}
  for (const [name, value] of Object.entries(config.environment)) {
    if (value !== undefined) handedOn[name] = value
  }
  return {
    ...handedOn,
    SWAPTIDE_HOME: config.home,
    DATABASE_URL: servers.databaseUrl,
    NATS_URL: servers.natsUrl,
    REDIS_URL: servers.redisUrl,
  }
}
