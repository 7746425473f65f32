/**
 * Lists of the commands that read a setting, by what they do. The table of settings names one of these lists where several settings share
 * it.
 */
import { COMMAND_NAMES, type CommandName } from './setting.ts'

export const API: readonly CommandName[] = ['up', 'api']
const PROCESSES: readonly CommandName[] = ['up', 'api', 'worker', 'jobs']
export const SCRAPED: readonly CommandName[] = [...PROCESSES, 'source']
export const SERVER_TOOLS: readonly CommandName[] = [
  ...(['psql', 'pg-dump', 'pg-restore', 'pg-basebackup', 'redis-cli', 'nats-server'] as const),
  'server-programs',
]
/** `decode` reads files only, `schema` the program, `server-programs` the host. */
export const INSTALLED = COMMAND_NAMES.filter(
  (name) => !['decode', 'schema', 'server-programs'].includes(name),
)
export const STARTS_SERVERS: readonly CommandName[] = ['up', 'webhooks', 'restore', 'recover']
export const RETENTION: readonly CommandName[] = ['up', 'jobs']
export const WEBHOOKS: readonly CommandName[] = ['up', 'api', 'jobs', 'webhooks']
/** Commands that use JetStream, whose streams have a prefix and a number of lanes. */
export const STREAMS: readonly CommandName[] = [
  ...PROCESSES,
  ...(['ingest', 'backfill', 'source', 'simulate', 'import', 'replay'] as const),
  ...(['status', 'webhooks', 'dead', 'rebuild', 'recover'] as const),
]
