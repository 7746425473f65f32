/**
 * The table of commands: group, summary and module of each. `swaptide --help`, the help of each command and
 * docs/commands.md are derived from it; options, notes and examples are declared in the command's module.
 */
import type { Command } from './cli/command.ts'
import type { CommandName } from './config/setting.ts'

export const COMMAND_GROUPS = {
  run: 'Run',
  ingest: 'Ingest',
  look: 'Look',
  operate: 'Operate',
  repair: 'Repair',
  tools: 'Tools of the servers',
} as const

export type CommandEntry = {
  group: keyof typeof COMMAND_GROUPS
  /** The effect of the command: a verb and its object, without a full stop. */
  summary: string
  /** A module is loaded only when its command runs or its help is printed. */
  load: () => Promise<Command>
}

const serverTools = () => import('./commands/server-tools.ts')

export const COMMANDS: Readonly<Record<CommandName, CommandEntry>> = {
  up: {
    group: 'run',
    summary: 'start servers, workers, API and a source of swaps',
    load: () => import('./commands/up.ts'),
  },
  api: {
    group: 'run',
    summary: 'run the API',
    load: () => import('./commands/parts/api.ts'),
  },
  worker: {
    group: 'run',
    summary: 'run actors, which fold events into tables',
    load: () => import('./commands/parts/worker.ts'),
  },
  jobs: {
    group: 'run',
    summary: 'run the job worker',
    load: () => import('./commands/parts/jobs.ts'),
  },
  migrate: {
    group: 'run',
    summary: 'migrate the database to the schema of this version',
    load: () => import('./commands/parts/migrate.ts'),
  },
  ingest: {
    group: 'ingest',
    summary: 'ingest NDJSON, CSV, TSV or Parquet, with a reason for each refused line',
    load: () => import('./commands/ingest.ts'),
  },
  backfill: {
    group: 'ingest',
    summary: 'read a range of slots from the chain, resumable',
    load: () => import('./commands/chain/backfill.ts'),
  },
  source: {
    group: 'ingest',
    summary: 'follow the chain, or check a provider of it',
    load: () => import('./commands/chain/source.ts'),
  },
  decode: {
    group: 'ingest',
    summary: 'decode blocks and transactions of Solana into events',
    load: () => import('./commands/decode.ts'),
  },
  simulate: {
    group: 'ingest',
    summary: 'publish a simulated market, reproducible by its seed',
    load: () => import('./commands/simulate.ts'),
  },
  import: {
    group: 'ingest',
    summary: 'import KOLs, tokens or sectors from NDJSON or CSV',
    load: () => import('./commands/import.ts'),
  },
  status: {
    group: 'look',
    summary: 'show the lag of lanes and sources, job queues and dead letters',
    load: () => import('./commands/status.ts'),
  },
  coverage: {
    group: 'look',
    summary: 'show which slots of which venues were read from the chain',
    load: () => import('./commands/chain/coverage.ts'),
  },
  conflicts: {
    group: 'look',
    summary: 'list refused events that contradict stored ones',
    load: () => import('./commands/look/conflicts.ts'),
  },
  verify: {
    group: 'look',
    summary: 'recompute every table from the stored swaps and compare',
    load: () => import('./commands/repair/verify.ts'),
  },
  history: {
    group: 'look',
    summary: 'show, seal and verify packed swaps',
    load: () => import('./commands/operate/history.ts'),
  },
  schema: {
    group: 'look',
    summary: 'print the schema of an interface, for generators of clients',
    load: () => import('./commands/look/schema.ts'),
  },
  backtest: {
    group: 'look',
    summary: 'compute what copying wallets would have earned',
    load: () => import('./commands/backtest.ts'),
  },
  sql: {
    group: 'look',
    summary: 'query the daily files of swaps by SQL',
    load: () => import('./commands/look/sql.ts'),
  },
  keys: {
    group: 'operate',
    summary: 'create, list, rotate and revoke API keys',
    load: () => import('./commands/operate/keys.ts'),
  },
  webhooks: {
    group: 'operate',
    summary: 'list, create, pause and test webhook endpoints',
    load: () => import('./commands/operate/webhooks.ts'),
  },
  replay: {
    group: 'operate',
    summary: 'replay history to a file, standard output or a subject',
    load: () => import('./commands/replay.ts'),
  },
  export: {
    group: 'operate',
    summary: 'export swaps, candles, positions, lots and the leaderboard to files',
    load: () => import('./commands/export.ts'),
  },
  mcp: {
    group: 'operate',
    summary: 'serve the reads of a running API as tools of a language model',
    load: () => import('./commands/operate/mcp.ts'),
  },
  backup: {
    group: 'operate',
    summary: 'back up the embedded database and its keys while it runs',
    load: () => import('./commands/operate/backup.ts'),
  },
  restore: {
    group: 'operate',
    summary: 'make a new home from a backup',
    load: () => import('./commands/operate/restore.ts'),
  },
  dead: {
    group: 'repair',
    summary: 'list dead letters or retry them',
    load: () => import('./commands/repair/dead.ts'),
  },
  rebuild: {
    group: 'repair',
    summary: 'recompute positions, rankings or candles and store them',
    load: () => import('./commands/repair/rebuild.ts'),
  },
  recover: {
    group: 'repair',
    summary: 'continue from a database that was restored',
    load: () => import('./commands/repair/recover.ts'),
  },
  psql: {
    group: 'tools',
    summary: 'run psql on the database',
    load: async () => (await serverTools()).psql,
  },
  'pg-dump': {
    group: 'tools',
    summary: 'run pg_dump on the database',
    load: async () => (await serverTools()).pgDump,
  },
  'pg-restore': {
    group: 'tools',
    summary: 'run pg_restore into a database of the same server',
    load: async () => (await serverTools()).pgRestore,
  },
  'pg-basebackup': {
    group: 'tools',
    summary: 'copy the whole PostgreSQL server while it runs',
    load: async () => (await serverTools()).pgBasebackup,
  },
  'redis-cli': {
    group: 'tools',
    summary: 'run redis-cli on the Redis of the installation',
    load: async () => (await serverTools()).redisCli,
  },
  'nats-server': {
    group: 'tools',
    summary: 'send a signal to the embedded nats-server',
    load: async () => (await serverTools()).natsServer,
  },
  'server-programs': {
    group: 'tools',
    summary: "print the folders of the servers' programs, for PATH",
    load: async () => (await serverTools()).serverPrograms,
  },
}
