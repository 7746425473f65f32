/**
 * The configuration of a process: the environment, checked and named once. The only reader of process.env.
 *
 * Variables are declared in config/settings.ts and parsed in config/parse.ts; rules between variables are in
 * config/rules.ts. Every bad value is reported with the value in quotes and what was expected.
 */
import { resolve } from 'node:path'
import type { PublicPages } from '../api/gateway/visitors.ts'
import { parseNetwork } from '../domain/text/network.ts'
import type { VenueNaming } from '../domain/venue.ts'
import type { PrivatePolicy } from '../domain/webhook-target.ts'
import { type Environment, readValues, unknownVariables, type Values } from './config/parse.ts'
import {
  allServersOrNone,
  bothTlsFilesOrNone,
  droppedWhereSealed,
  poolerWithDirectUrl,
  type ServerUrls,
  standbysOfExternal,
} from './config/rules.ts'
import type { LogLevel, WORKER_PROCESSES } from './config/setting.ts'

export type { Environment } from './config/parse.ts'
export type { ServerUrls } from './config/rules.ts'
export type { LogLevel } from './config/setting.ts'

/** Environment of this process. */
export const ENVIRONMENT: Environment = process.env

/** Whether npm or npx runs this process, in a separate shell. */
export const isRunByNpm = (environment: Environment): boolean =>
  environment.npm_execpath !== undefined

export type Config = {
  /** Absolute path of SWAPTIDE_HOME. */
  home: string
  host: string
  port: number
  grpcPort: number
  /** Client connections per API process; absent: the API's own bound. */
  clientsMax: number | undefined
  /** Absent: metrics are not served, or on any free ports with `up`. */
  metricsPort: number | undefined
  metricsHost: string
  /** PEM files; absent: gRPC without TLS. */
  grpcTls: { certificate: string; key: string } | undefined
  /** Operator token (ADMIN_TOKEN). */
  adminKey: string | undefined
  /** External servers; absent: the embedded stack. */
  servers: ServerUrls | undefined
  /** Standbys that the API reads, and the age of their data that is served; absent: none. */
  standbys: { readUrls: readonly string[]; ageMsMax: number } | undefined
  /** The database past the pooler of transactions that DATABASE_URL names; absent: there is no pooler. */
  directUrl: string | undefined
  balanceRpcUrl: string | undefined
  /** Provider of DAS, for names that accounts do not state. */
  dasUrl: string | undefined
  /** Gateways of documents that tokens name; absent: no such document is requested. */
  tokenImages: { ipfsGateway: string | undefined; arweaveGateway: string | undefined } | undefined
  sourceRpcUrl: string | undefined
  sourcePortalUrl: string
  sourcePortalHeaderFile: string | undefined
  sourceGeyser: {
    url: string | undefined
    token: string | undefined
    tokenFile: string | undefined
  }
  /** US dollars per SOL until a swap against USDC or USDT is stored. */
  solUsdFallback: number | undefined
  /** Page that clients of a low tier are referred to; absent: the reference of the API. */
  upgradeUrl: string | undefined
  /** Origins whose pages may use /mcp. */
  mcpOrigins: readonly string[]
  /** Absent: every page and request needs a key. */
  publicPages: PublicPages | undefined
  /** How answers name venues. */
  venueNames: VenueNaming
  /** Absent: each command has its default. */
  logLevel: LogLevel | undefined
  debianMirror: string | undefined
  cacheDir: string | undefined
  /** Whether `up` lowers the CPU priority of workers (deploy/local/cpu-priority.ts). */
  isTuned: boolean
  /** Worker processes of `up`. */
  workerProcesses: (typeof WORKER_PROCESSES)[number]
  /** Shared buffers of the embedded PostgreSQL in MiB; absent: 1 GiB at most. */
  sharedBuffersMib: number | undefined
  /** Separates installations on one NATS: `` or `name.`. */
  prefix: string
  /** Absent: the number that the streams were created with. */
  laneCount: number | undefined
  /** Nodes of a NATS cluster that store each stream; absent: as the streams are. */
  replicas: number | undefined
  /** Bytes of SWAP and of FEED; absent: as the streams are. */
  swapMaxBytes: number | undefined
  feedMaxBytes: number | undefined
  /** Folder of the daily files of swaps; absent: no SQL. */
  lakeDir: string | undefined
  /** Key of the secrets of webhooks; absent: this process has no webhooks. */
  webhookSecretKey: string | undefined
  /** Whether webhooks may go to private addresses, and without TLS. */
  webhookPolicy: PrivatePolicy
  /** Ages in days at which the retention job deletes records; absent: never. */
  retention: { ingestRunDays?: number; deadLetterDays?: number; conflictDays?: number }
  /** Age in hours at which swaps are sealed; absent: never. */
  sealAfterHours: number | undefined
  /** Age in days at which sealed swaps are dropped; absent: never. */
  historyDays: number | undefined
  /** The whole environment, passed on to child processes. */
  environment: Environment
}

export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Throws ConfigError with every error of the environment, joined by "; ". */
export function readConfig(environment: Environment): Config {
  const errors: string[] = []
  const values = readValues(environment, errors)
  const grpcTls = bothTlsFilesOrNone(values, errors)
  const servers = allServersOrNone(values, errors)
  const directUrl = poolerWithDirectUrl(values, errors)
  standbysOfExternal(values, errors)
  errors.push(...unknownVariables(environment))
  if (errors.length > 0) throw new ConfigError(errors.join('; '))
  return {
    home: resolve(values.SWAPTIDE_HOME),
    host: values.HOST,
    port: values.PORT,
    grpcPort: values.GRPC_PORT,
    clientsMax: values.CONNECTIONS_MAX,
    metricsPort: values.METRICS_PORT,
    metricsHost: values.METRICS_HOST,
    grpcTls,
    adminKey: values.ADMIN_TOKEN,
    servers,
    directUrl,
    standbys: standbysOf(values),
    balanceRpcUrl: values.BALANCE_RPC_URL,
    dasUrl: values.DAS_URL,
    tokenImages: tokenImagesOf(values),
    sourceRpcUrl: values.SOURCE_RPC_URL,
    sourcePortalUrl: values.SOURCE_PORTAL_URL,
    sourcePortalHeaderFile: values.SOURCE_PORTAL_HEADER_FILE,
    sourceGeyser: {
      url: values.SOURCE_GEYSER_URL,
      token: values.SOURCE_GEYSER_X_TOKEN,
      tokenFile: values.SOURCE_GEYSER_X_TOKEN_FILE,
    },
    solUsdFallback: values.SOL_USD_FALLBACK,
    upgradeUrl: values.UPGRADE_URL,
    mcpOrigins: originsOf(values.MCP_ORIGINS),
    publicPages: publicPagesOf(values),
    venueNames: values.VENUE_NAMES,
    logLevel: values.LOG_LEVEL,
    debianMirror: values.SWAPTIDE_DEBIAN_MIRROR,
    cacheDir: values.SWAPTIDE_CACHE,
    isTuned: values.SWAPTIDE_TUNE === '1',
    workerProcesses: values.WORKER_PROCESSES,
    sharedBuffersMib: values.POSTGRES_SHARED_BUFFERS,
    prefix: values.SWAPTIDE_STREAM_PREFIX === undefined ? '' : `${values.SWAPTIDE_STREAM_PREFIX}.`,
    laneCount: values.LANES,
    replicas: values.STREAM_REPLICAS === undefined ? undefined : Number(values.STREAM_REPLICAS),
    swapMaxBytes: bytesOf(values.SWAP_BYTES),
    feedMaxBytes: bytesOf(values.FEED_BYTES),
    lakeDir: values.LAKE_DIR,
    webhookSecretKey: values.WEBHOOK_SECRET_KEY,
    webhookPolicy: values.WEBHOOK_PRIVATE_ADDRESSES,
    retention: retentionOf(values),
    sealAfterHours: values.SEAL_AFTER_HOURS,
    historyDays: droppedWhereSealed(values, errors),
    environment,
  }
}

function tokenImagesOf(values: Values): Config['tokenImages'] {
  if (values.TOKEN_IMAGES !== '1') return undefined
  return { ipfsGateway: values.IPFS_GATEWAY_URL, arweaveGateway: values.ARWEAVE_GATEWAY_URL }
}

const bytesOf = (mebibytes: number | undefined): number | undefined =>
  mebibytes === undefined ? undefined : mebibytes * 1024 ** 2

function originsOf(urls: string | undefined): string[] {
  return urls === undefined ? [] : urls.split(',').map((each) => new URL(each.trim()).origin)
}

function publicPagesOf({
  PUBLIC_PAGES: isOn,
  PUBLIC_URL: url,
  PUBLIC_REQUESTS: requestsMax,
  TRUSTED_PROXIES: proxies = '',
}: Values): PublicPages | undefined {
  if (isOn !== '1') return undefined
  const networks = proxies.split(',').flatMap((each) => parseNetwork(each) ?? [])
  return { url, requestsMax, proxies: networks }
}

function standbysOf({
  DATABASE_READ_URL: urls,
  DATABASE_READ_AGE_MS: ageMsMax,
}: Values): Config['standbys'] {
  if (urls === undefined) return undefined
  return { readUrls: urls.split(',').map((each) => each.trim()), ageMsMax }
}

function retentionOf(values: Values): Config['retention'] {
  const {
    RETENTION_INGEST_RUN_DAYS: ingestRunDays,
    RETENTION_DEAD_LETTER_DAYS: deadLetterDays,
    RETENTION_CONFLICT_DAYS: conflictDays,
  } = values
  return {
    ...(ingestRunDays === undefined ? {} : { ingestRunDays }),
    ...(deadLetterDays === undefined ? {} : { deadLetterDays }),
    ...(conflictDays === undefined ? {} : { conflictDays }),
  }
}

/** The environment of a child process: that of this process, with the installation's home and servers. */
export function environmentFor(config: Config, servers: ServerUrls): Record<string, string> {
  const passedOn: Record<string, string> = {}
  for (const [name, value] of Object.entries(config.environment)) {
    if (value !== undefined) passedOn[name] = value
  }
  return {
    ...passedOn,
    SWAPTIDE_HOME: config.home,
    DATABASE_URL: servers.databaseUrl,
    NATS_URL: servers.natsUrl,
    REDIS_URL: servers.redisUrl,
  }
}
