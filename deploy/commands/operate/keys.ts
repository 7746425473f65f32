/**
 * `swaptide keys create|list|rotate|revoke`: API keys. A key is shown once, when it is created; only its hash is
 * stored, so a lost one is revoked and replaced. A rotated key works for 7 more days alongside its successor.
 */

import {
  ACCOUNT_LENGTH_MAX,
  createKey,
  type ListedKey,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../../api/gateway/keys/keys.ts'
import { TIERS } from '../../../api/routing/caller.ts'
import { ENVIRONMENTS } from '../../../api/routing/key-format.ts'
import type { Db } from '../../../sql/db.ts'
import {
  choiceOption,
  choiceWord,
  expectNone,
  parseArguments,
  textOption,
  UsageError,
  usage,
} from '../../cli/arguments.ts'
import { CLI_ACTOR, type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { jsonLine, table } from '../../cli/format.ts'
import { withDatabase } from '../../processes/connections.ts'
import { findInstallation } from '../../processes/installation.ts'

export const described = usage({
  line: 'keys create --tier TIER --env ENV [--account NAME] [--sql] | list | rotate ID | revoke ID',
  options: {
    tier: { type: 'string', value: 'TIER', about: `one of ${TIERS.join(' ')} (create)` },
    env: { type: 'string', value: 'ENV', about: `one of ${ENVIRONMENTS.join(' ')} (create)` },
    account: {
      type: 'string',
      value: 'NAME',
      about: 'owner of the key (create)',
      default: 'local',
    },
    sql: { type: 'boolean', about: 'the key may query by POST /v2/sql (create)' },
    json: { type: 'boolean', about: 'print JSON' },
  },
  notes: [
    'A key is shown once, when it is created: only its hash is stored. A rotated key works for 7 more days.',
  ],
  examples: [
    'swaptide keys create --tier pro --env live --account acme',
    'swaptide keys list',
    'swaptide keys rotate 3',
  ],
})

const ACTIONS = ['create', 'list', 'rotate', 'revoke'] as const

type Action = (db: Db, context: CommandContext) => Promise<number>

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const action = parse(argv)
  const { databaseUrl } = await findInstallation(context.config)
  return await withDatabase(databaseUrl, { name: 'swaptide keys' }, (db) => action(db, context))
}

/** Checks the arguments before any connection is opened. */
function parse(argv: readonly string[]): Action {
  const { values, positionals } = parseArguments(described, argv)
  const [word, ...rest] = positionals
  const action = choiceWord('keys', word, ACTIONS)
  const isJson = values.json ?? false
  switch (action) {
    case 'create': {
      expectNone(described.line, rest)
      const tier = choiceOption('tier', values.tier, TIERS)
      const environment = choiceOption('env', values.env, ENVIRONMENTS)
      const account = textOption('account', values.account, ACCOUNT_LENGTH_MAX)
      const sqlAccess = values.sql === true
      return (db, context) =>
        create(db, context, { tier, environment, account, sqlAccess, by: CLI_ACTOR }, isJson)
    }
    case 'list':
      expectNone(described.line, rest)
      return (db, context) => list(db, context, isJson)
    case 'rotate':
    case 'revoke': {
      const id = idOf(action, rest)
      const change = action === 'rotate' ? rotate : revoke
      return (db, context) => change(db, context, id, isJson)
    }
    default:
      return action satisfies never
  }
}

function idOf(action: string, [id, ...extra]: readonly string[]): number {
  expectNone(described.line, extra)
  if (id !== undefined && /^[1-9]\d{0,8}$/.test(id)) return Number(id)
  const expected = 'the id of a key, see swaptide keys list'
  if (id === undefined) throw new UsageError(`${action} needs ${expected}`)
  throw new UsageError(`${action} "${id}": expected ${expected}`)
}

async function create(
  db: Db,
  { stdout, stderr }: CommandContext,
  wanted: Parameters<typeof createKey>[1],
  isJson: boolean,
): Promise<number> {
  const { id, key, hint } = await createKey(db, wanted)
  if (isJson) stdout.write(jsonLine({ id, key, hint, ...wanted }))
  else {
    stdout.write(`${key}\n`)
    stderr.write(`key ${id}, shown only now: only its hash is stored\n`)
  }
  return EXIT_OK
}

async function list(db: Db, { stdout }: CommandContext, isJson: boolean): Promise<number> {
  const keys = await listKeys(db)
  stdout.write(isJson ? jsonLine(keys) : listing(keys, new Date()))
  return EXIT_OK
}

function listing(keys: readonly ListedKey[], now: Date): string {
  const rows = keys.map((key) => [
    String(key.id),
    key.hint,
    key.environment,
    key.tier,
    key.account,
    key.sql_access ? 'yes' : 'no',
    key.created_at.toISOString().slice(0, 10),
    stateOf(key, now),
  ])
  return table(['id', 'hint', 'env', 'tier', 'account', 'sql', 'created', 'state'], rows)
}

function stateOf({ revoked_at, grace_until }: ListedKey, now: Date): string {
  if (revoked_at !== null) return 'revoked'
  if (grace_until === null) return 'valid'
  return grace_until > now ? `valid until ${grace_until.toISOString()}` : 'rotated'
}

async function revoke(
  db: Db,
  { stdout }: CommandContext,
  id: number,
  isJson: boolean,
): Promise<number> {
  await revokeKey(db, id, CLI_ACTOR)
  stdout.write(isJson ? jsonLine({ id, revoked: true }) : `key ${id} is revoked\n`)
  return EXIT_OK
}

async function rotate(
  db: Db,
  { stdout, stderr }: CommandContext,
  old: number,
  isJson: boolean,
): Promise<number> {
  const made = await rotateKey(db, old, CLI_ACTOR)
  if (isJson) stdout.write(jsonLine({ ...made, rotated: old }))
  else {
    const until = made.grace_until.toISOString()
    stdout.write(`${made.key}\n`)
    stderr.write(`key ${made.id}, shown only now; key ${old} works until ${until}\n`)
  }
  return EXIT_OK
}
