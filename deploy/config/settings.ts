/**
 * The table of settings: every environment variable of Swaptide with its kind, default, description and readers.
 *
 * `readConfig`, the help of each command and docs/configuration.md are derived from this table. A new setting is one
 * entry here and one field of `Config` (deploy/config.ts). Settings are reported in the order of the table.
 */

import { VENUE_NAMINGS } from '../../domain/venue.ts'
import { PRIVATE_POLICIES } from '../../domain/webhook-target.ts'

/** Commands in the order of `swaptide --help`. */
export const COMMAND_NAMES = [
  ...(['up', 'api', 'worker', 'jobs', 'migrate'] as const),
  ...(['ingest', 'backfill', 'source', 'decode', 'simulate', 'import'] as const),
  ...(['status', 'coverage', 'conflicts', 'verify'] as const),
  ...(['keys', 'webhooks', 'replay', 'export', 'mcp'] as const),
  ...(['dead', 'rebuild', 'recover'] as const),
  ...(['psql', 'pg-dump', 'pg-restore', 'pg-basebackup', 'redis-cli', 'nats-server'] as const),
] as const
export type CommandName = (typeof COMMAND_NAMES)[number]

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The form of a value. `parse.ts` has one parser for each. */
export type Kind =
  | { form: 'text' }
  | { form: 'file' }
  | { form: 'port' }
  | { form: 'integer'; min: number; max: number }
  | { form: 'url'; schemes: readonly string[] }
  | { form: 'urls'; schemes: readonly string[] }
  | { form: 'choice'; choices: readonly string[] }
  | { form: 'nats' }
  | { form: 'rate' }
  | { form: 'mebibytes'; min: number }
  | { form: 'token'; lengthMin: number }
  | { form: 'prefix' }

export const GROUPS = {
  installation: 'Installation',
  api: 'API',
  observability: 'Logs and metrics',
  servers: 'Servers and streams',
  chain: 'Solana and prices',
  webhooks: 'Webhooks',
  retention: 'Retention',
} as const

export type Setting = {
  group: keyof typeof GROUPS
  kind: Kind
  /** Value of a variable that is not set. */
  default?: string | number
  /** Describes the default where it is no constant. */
  absent?: string
  /** One line. */
  about: string
  /** Further sentences of docs/configuration.md. */
  note?: string
  readBy: readonly CommandName[]
  /** A credential: never repeated in a message. */
  isSecret?: true
}

const API: readonly CommandName[] = ['up', 'api']
const PROCESSES: readonly CommandName[] = ['up', 'api', 'worker', 'jobs']
const SCRAPED: readonly CommandName[] = [...PROCESSES, 'source']
const SERVER_TOOLS: readonly CommandName[] = [
  ...(['psql', 'pg-dump', 'pg-restore', 'pg-basebackup', 'redis-cli', 'nats-server'] as const),
]
/** `decode` reads files alone. */
const INSTALLED = COMMAND_NAMES.filter((name) => name !== 'decode')
const STARTS_SERVERS: readonly CommandName[] = ['up', 'recover']
const RETENTION: readonly CommandName[] = ['up', 'jobs']
const WEBHOOKS: readonly CommandName[] = ['up', 'api', 'jobs', 'webhooks']
/** Commands that use JetStream, whose streams have a prefix and a number of lanes. */
const STREAMS: readonly CommandName[] = [
  ...PROCESSES,
  ...(['ingest', 'backfill', 'source', 'simulate', 'import', 'replay'] as const),
  ...(['status', 'webhooks', 'dead', 'rebuild', 'recover'] as const),
]

const PORT = { form: 'port' } as const
const FILE = { form: 'file' } as const
const TEXT = { form: 'text' } as const
const WEB = { form: 'url', schemes: ['http:', 'https:'] } as const
const DAYS = { form: 'integer', min: 1, max: 36_500 } as const

export const SETTINGS = {
  SWAPTIDE_HOME: {
    group: 'installation',
    kind: FILE,
    default: '.swaptide',
    about: 'folder of the installation: embedded servers, keys and logs',
    note: 'A relative path is resolved against the current folder.',
    readBy: INSTALLED,
  },
  SWAPTIDE_DEBIAN_MIRROR: {
    group: 'installation',
    kind: TEXT,
    absent: "the host's own sources",
    about: 'Debian archive that the packages of the embedded servers are downloaded from',
    note: 'The URL of the main archive and, after a space, of the security archive.',
    readBy: [...STARTS_SERVERS, ...SERVER_TOOLS],
  },
  SWAPTIDE_CACHE: {
    group: 'installation',
    kind: FILE,
    absent: "swaptide in the account's cache folder, /var/cache/swaptide for root",
    about: 'folder of the unpacked embedded servers',
    readBy: [...STARTS_SERVERS, ...SERVER_TOOLS],
  },
  SWAPTIDE_TUNE: {
    group: 'installation',
    kind: { form: 'choice', choices: ['0', '1'] },
    default: '0',
    about: '1: tune the process and, with "up", the machine (as "up --tune")',
    note: 'Changes CPU priorities and kernel limits: see [deploy/tuning](../deploy/tuning/README.md).',
    readBy: COMMAND_NAMES,
  },
  POSTGRES_SHARED_BUFFERS: {
    group: 'installation',
    kind: { form: 'mebibytes', min: 16 },
    absent: 'an eighth of the memory, at most 1GB',
    about: 'shared buffers of the embedded PostgreSQL, such as 512MB or 4GB',
    readBy: STARTS_SERVERS,
  },

  HOST: {
    group: 'api',
    kind: TEXT,
    default: '127.0.0.1',
    about: 'address that the API and gRPC listen on',
    readBy: API,
  },
  PORT: {
    group: 'api',
    kind: PORT,
    default: 8080,
    about: 'port of the API; 0: any free port',
    readBy: API,
  },
  GRPC_PORT: {
    group: 'api',
    kind: PORT,
    default: 50_051,
    about: 'port of gRPC; 0: any free port',
    readBy: API,
  },
  GRPC_TLS_CERT: {
    group: 'api',
    kind: FILE,
    absent: 'gRPC without TLS',
    about: 'PEM certificate of gRPC, set together with GRPC_TLS_KEY',
    readBy: API,
  },
  GRPC_TLS_KEY: {
    group: 'api',
    kind: FILE,
    absent: 'gRPC without TLS',
    about: 'PEM private key of gRPC, set together with GRPC_TLS_CERT',
    readBy: API,
  },
  CONNECTIONS_MAX: {
    group: 'api',
    kind: { form: 'integer', min: 1, max: 1_000_000 },
    absent: '12,000',
    about: 'client connections that one API process accepts',
    readBy: API,
  },
  ADMIN_TOKEN: {
    group: 'api',
    kind: { form: 'token', lengthMin: 16 },
    absent: 'generated by "up"; without it "api" serves no console',
    about: 'token of operators for /admin; also seals the sessions of pages',
    isSecret: true,
    readBy: API,
  },
  UPGRADE_URL: {
    group: 'api',
    kind: WEB,
    absent: "the API's own /docs",
    about: 'page that clients are referred to when their tier is too low',
    readBy: API,
  },
  VENUE_NAMES: {
    group: 'api',
    kind: { form: 'choice', choices: VENUE_NAMINGS },
    default: 'ids',
    about: 'how answers and feeds name venues: by DexId, or by their programs',
    note: 'Parameters and filters accept the number and both names, whichever is set.',
    readBy: WEBHOOKS,
  },

  LOG_LEVEL: {
    group: 'observability',
    kind: { form: 'choice', choices: LOG_LEVELS },
    absent: 'info for "api", "worker" and "jobs", warn for all others',
    about: 'lowest level that is logged',
    note: 'With debug, errors have a stack trace.',
    readBy: COMMAND_NAMES,
  },
  METRICS_HOST: {
    group: 'observability',
    kind: TEXT,
    default: '127.0.0.1',
    about: 'address that Prometheus metrics are served on',
    readBy: SCRAPED,
  },
  METRICS_PORT: {
    group: 'observability',
    kind: PORT,
    absent: 'no metrics; any free ports with "up"',
    about: 'port of Prometheus metrics; "up" uses the following ports for its other processes',
    readBy: SCRAPED,
  },

  DATABASE_URL: {
    group: 'servers',
    kind: { form: 'url', schemes: ['postgres:', 'postgresql:'] },
    absent: 'the embedded PostgreSQL of SWAPTIDE_HOME',
    about: 'PostgreSQL with TimescaleDB; set all three URLs or none',
    isSecret: true,
    readBy: INSTALLED,
  },
  PG_POOLER: {
    group: 'servers',
    kind: { form: 'choice', choices: ['none', 'transaction'] },
    default: 'none',
    about: 'transaction: DATABASE_URL is a pooler of transactions (PgBouncer)',
    note: 'Needs DATABASE_DIRECT_URL: see [PgBouncer](operations.md#pgbouncer).',
    readBy: INSTALLED,
  },
  DATABASE_DIRECT_URL: {
    group: 'servers',
    kind: { form: 'url', schemes: ['postgres:', 'postgresql:'] },
    absent: 'DATABASE_URL is the server itself',
    about: 'PostgreSQL past the pooler: for LISTEN, locks of sessions, migrations',
    isSecret: true,
    readBy: INSTALLED,
  },
  DATABASE_READ_URL: {
    group: 'servers',
    kind: { form: 'urls', schemes: ['postgres:', 'postgresql:'] },
    absent: 'all reads are of DATABASE_URL',
    about: 'standbys that the API reads, with commas between their URLs',
    note: 'See [Reads from standbys](operations.md#reads-from-standbys).',
    isSecret: true,
    readBy: API,
  },
  DATABASE_READ_AGE_MS: {
    group: 'servers',
    kind: { form: 'integer', min: 50, max: 600_000 },
    default: 1_000,
    about: 'milliseconds of age up to which data of a standby is served',
    readBy: API,
  },
  NATS_URL: {
    group: 'servers',
    kind: { form: 'nats' },
    absent: 'the embedded NATS of SWAPTIDE_HOME',
    about: 'NATS with JetStream, or the nodes of a cluster; set all three URLs or none',
    note:
      'A list is separated by commas, in any order: a start needs one node that answers. The part before the host is a user with ' +
      'password, or a token, and one URL of the list may name it for all.',
    isSecret: true,
    readBy: INSTALLED,
  },
  REDIS_URL: {
    group: 'servers',
    kind: { form: 'url', schemes: ['redis:', 'rediss:'] },
    absent: 'the embedded Redis of SWAPTIDE_HOME',
    about: 'Redis; set all three URLs or none',
    isSecret: true,
    readBy: INSTALLED,
  },
  NATS_CREDS: {
    group: 'servers',
    kind: FILE,
    absent: 'no credentials but those of NATS_URL',
    about: 'credentials file of a NATS user (JWT and key)',
    note: 'Only together with NATS_URL, as NATS_CA, NATS_CERT and NATS_KEY.',
    readBy: INSTALLED,
  },
  NATS_CA: {
    group: 'servers',
    kind: FILE,
    absent: 'the authorities that Node.js trusts',
    about: 'PEM certificate of the authority that signed those of NATS; NATS must use TLS then',
    readBy: INSTALLED,
  },
  NATS_CERT: {
    group: 'servers',
    kind: FILE,
    absent: 'no client certificate',
    about: 'PEM client certificate for NATS, set together with NATS_KEY',
    readBy: INSTALLED,
  },
  NATS_KEY: {
    group: 'servers',
    kind: FILE,
    absent: 'no client certificate',
    about: 'PEM private key of NATS_CERT',
    readBy: INSTALLED,
  },
  STREAM_REPLICAS: {
    group: 'servers',
    kind: { form: 'choice', choices: ['1', '3', '5'] },
    absent: 'as the streams are; 1 for new streams',
    about: 'nodes of a NATS cluster that store each stream',
    note: 'Applied to existing streams by the next part that starts. The same for all parts.',
    readBy: STREAMS,
  },
  SWAPTIDE_STREAM_PREFIX: {
    group: 'servers',
    kind: { form: 'prefix' },
    absent: 'none',
    about: 'first part of the names of streams and queues, for several installations on one NATS',
    readBy: STREAMS,
  },
  LANES: {
    group: 'servers',
    kind: { form: 'integer', min: 1, max: 64 },
    absent: 'as the streams were created; 2 for new streams',
    about: 'number of lanes (partitions) of a stream, fixed when the streams are created',
    readBy: STREAMS,
  },

  BALANCE_RPC_URL: {
    group: 'chain',
    kind: WEB,
    absent: 'no on-chain balances and mints',
    about: 'Solana JSON-RPC node that balances and mints are read from',
    isSecret: true,
    readBy: ['up', 'api', 'jobs'],
  },
  SOURCE_RPC_URL: {
    group: 'chain',
    kind: WEB,
    absent: 'the --rpc option',
    about: 'Solana JSON-RPC node that blocks are read from',
    note: 'Providers put a key into this URL: here, unlike in an option, no list of processes shows it.',
    isSecret: true,
    readBy: ['up', 'backfill', 'source'],
  },
  SOURCE_GEYSER_URL: {
    group: 'chain',
    kind: WEB,
    absent: 'the --endpoint option',
    about: 'Yellowstone (Geyser) gRPC stream that blocks are read from',
    readBy: ['up', 'source'],
  },
  SOURCE_GEYSER_X_TOKEN: {
    group: 'chain',
    kind: { form: 'token', lengthMin: 8 },
    absent: 'SOURCE_GEYSER_X_TOKEN_FILE',
    about: 'x-token that the provider of the stream expects',
    isSecret: true,
    readBy: ['up', 'source'],
  },
  SOURCE_GEYSER_X_TOKEN_FILE: {
    group: 'chain',
    kind: FILE,
    absent: 'no x-token',
    about: 'file that holds the x-token, on one line',
    readBy: ['up', 'source'],
  },
  SOL_USD_FALLBACK: {
    group: 'chain',
    kind: { form: 'rate' },
    absent: 'values in USD are absent until then',
    about: 'US dollars per SOL until a swap against USDC or USDT is stored',
    readBy: API,
  },

  WEBHOOK_SECRET_KEY: {
    group: 'webhooks',
    kind: { form: 'token', lengthMin: 32 },
    absent: 'generated by "up"; without it "api" and "jobs" have no webhooks',
    about: 'key that the secrets of webhooks are encrypted with in the database',
    note: 'The same for all processes. After a change the secrets of all webhooks must be rotated.',
    isSecret: true,
    readBy: WEBHOOKS,
  },
  WEBHOOK_PRIVATE_ADDRESSES: {
    group: 'webhooks',
    kind: { form: 'choice', choices: PRIVATE_POLICIES },
    default: 'refuse',
    about: 'allow: webhooks may go to private addresses, and without TLS',
    note: 'With refuse, addresses are checked when an endpoint is created and at each connection.',
    readBy: WEBHOOKS,
  },

  RETENTION_INGEST_RUN_DAYS: {
    group: 'retention',
    kind: DAYS,
    absent: 'retained for ever',
    about: 'age in days at which counts of ingest runs are deleted',
    readBy: RETENTION,
  },
  RETENTION_DEAD_LETTER_DAYS: {
    group: 'retention',
    kind: DAYS,
    absent: 'retained for ever',
    about: 'age in days at which dead letters that need no retry are deleted',
    note: 'Deletes dead letters that were retried, and those of other actors than pool; age counts from the retry.',
    readBy: RETENTION,
  },
  RETENTION_CONFLICT_DAYS: {
    group: 'retention',
    kind: DAYS,
    absent: 'retained for ever',
    about: 'age in days at which conflicts are deleted',
    readBy: RETENTION,
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS

/** The settings that a command reads, in the order of the table. */
export function settingsOf(command: string): [SettingName, Setting][] {
  return (Object.entries(SETTINGS) as [SettingName, Setting][]).filter(([, { readBy }]) =>
    readBy.some((name) => name === command),
  )
}
