/**
 * One setting: its form, default, description and the commands that read it. The table is settings.ts.
 */

/** Commands in the order of `swaptide --help`. */
export const COMMAND_NAMES = [
  ...(['up', 'api', 'worker', 'jobs', 'migrate'] as const),
  ...(['ingest', 'backfill', 'source', 'decode', 'simulate', 'import'] as const),
  ...(['status', 'coverage', 'conflicts', 'verify', 'history', 'schema'] as const),
  ...(['backtest', 'sql'] as const),
  ...(['keys', 'webhooks', 'replay', 'export', 'mcp', 'backup', 'restore'] as const),
  ...(['dead', 'rebuild', 'recover'] as const),
  ...(['psql', 'pg-dump', 'pg-restore', 'pg-basebackup', 'redis-cli', 'nats-server'] as const),
  'server-programs',
] as const
export type CommandName = (typeof COMMAND_NAMES)[number]

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
export const WORKER_PROCESSES = ['one', 'each'] as const

/** The form of a value. `parse.ts` has one parser for each. */
export type Kind =
  | { form: 'text' }
  | { form: 'file' }
  | { form: 'port' }
  | { form: 'integer'; min: number; max: number }
  | { form: 'url'; schemes: readonly string[] }
  | { form: 'urls'; schemes: readonly string[] }
  | { form: 'origin'; schemes: readonly string[] }
  | { form: 'networks' }
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
