/** Parameters and responses of /admin/v1. */
import Type, { type Static } from 'typebox'
import { JOB_NAMES } from '../../../streams/jobs/job.ts'
import { ACCOUNT_LENGTH_MAX } from '../../gateway/keys/keys.ts'
import { TIERS } from '../../routing/caller.ts'
import { ENVIRONMENTS } from '../../routing/key-format.ts'
import { cursor, nullable, sector } from '../../routing/schema.ts'
import { WEBHOOK_ACTIONS } from '../audit.ts'

const enveloped = <T extends Type.TSchema>(shape: T) =>
  Type.Object({ success: Type.Literal(true), data: shape })
const time = (description: string) => Type.String({ format: 'date-time', description })

const keyId = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Id of a key' })
const tier = Type.Enum([...TIERS])
const sqlAccess = Type.Boolean({ description: 'Whether the key may query by SQL' })
const environment = Type.Enum([...ENVIRONMENTS])

export const ofKey = Type.Object({ id: keyId })
export const newKey = Type.Object({
  tier: Type.Enum([...TIERS], { description: 'Tier of the key: its limits and features' }),
  env: Type.Enum([...ENVIRONMENTS], { description: 'Part of the key' }),
  account: Type.String({
    format: 'plain-text',
    minLength: 1,
    maxLength: ACCOUNT_LENGTH_MAX,
    description: 'Account that owns the key',
  }),
  sql_access: Type.Boolean({ default: false, description: 'Whether the key may query by SQL' }),
})
export const auditParameters = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Lines at most' }),
})

const madeKey = {
  id: keyId,
  key: Type.String({ description: 'The key in full, shown only now' }),
  hint: Type.String({ description: 'First and last four characters of its random part' }),
  environment,
  tier,
  account: Type.String(),
  sql_access: sqlAccess,
}
export const createdKey = enveloped(Type.Object(madeKey, { title: 'CreatedKey' }))
export const rotatedKey = enveloped(
  Type.Object(
    {
      ...madeKey,
      rotated: Type.Integer({ description: 'Id of the old key' }),
      grace_until: time('Until when the old key works'),
    },
    { title: 'RotatedKey' },
  ),
)
export const revokedKey = enveloped(
  Type.Object({ id: keyId, revoked: Type.Literal(true) }, { title: 'RevokedKey' }),
)
export const keyList = enveloped(
  Type.Array(
    Type.Object(
      {
        id: keyId,
        hint: Type.String(),
        environment,
        tier,
        account: Type.String(),
        sql_access: sqlAccess,
        created_at: time('When it was made'),
        grace_until: nullable(time('Time until which a rotated key works')),
        revoked_at: nullable(time('When it was revoked')),
        last_used_at: nullable(time('When it was used last, to a minute or so')),
      },
      { title: 'ApiKey' },
    ),
  ),
)
export const auditList = enveloped(
  Type.Array(
    Type.Object(
      {
        id: Type.Integer({ description: 'Rises within keys, and within all else' }),
        key_id: nullable(Type.Integer({ description: 'Id of the key; null: it was no key' })),
        action: Type.Enum([
          'created',
          'rotated',
          'revoked',
          'dead_letter_retried',
          'kol_stored',
          'kol_removed',
          'sector_stored',
          'replay_started',
          'replay_stopped',
          ...WEBHOOK_ACTIONS,
        ]),
        target: Type.String({ description: 'Object of the action' }),
        actor: Type.String({ description: 'The operator or program that did it' }),
        at: time('Time of the action'),
      },
      { title: 'AuditEntry' },
    ),
  ),
)
export type AuditList = Static<typeof auditList>

const actor = Type.String({ description: 'pool, ledger or ranking' })
const lane = Type.Integer({ minimum: 0, description: 'Its share of the keys' })

export const laneList = enveloped(
  Type.Array(
    Type.Object(
      {
        actor,
        lane,
        owner: nullable(Type.String({ description: 'The worker that has it now; null: none' })),
        sequence: Type.Integer({ description: 'The last message that is committed' }),
        head: Type.Integer({ description: 'The last message that there is for the lane' }),
        lag: Type.Integer({ description: 'Messages of the stream between the two' }),
        committed_at: nullable(time('Time of the last commit')),
        age_ms: nullable(Type.Number({ description: 'Milliseconds since the last commit' })),
        latency_ms: nullable(
          Type.Number({
            description:
              'Milliseconds from the storing of the last committed message to its commit; null: it is of another lane',
          }),
        ),
      },
      { title: 'Lane' },
    ),
  ),
)

const jobCount = (description: string) => Type.Integer({ minimum: 0, description })
export const queueList = enveloped(
  Type.Array(
    Type.Object(
      {
        name: Type.Enum([...JOB_NAMES]),
        waiting: jobCount('Jobs that wait for a worker'),
        active: jobCount('Jobs that run'),
        delayed: jobCount('Jobs that pause before a retry, or are scheduled'),
        failed: jobCount('Jobs that were given up'),
        newest_failure: nullable(
          Type.Object(
            {
              reason: Type.String(),
              attempts: jobCount('Runs before it was given up'),
              failed_at: time('Time of the failure'),
            },
            { title: 'JobFailure' },
          ),
        ),
      },
      { title: 'Queue' },
    ),
  ),
)

export const deadLetterParameters = Type.Object({
  state: Type.Enum(['waiting', 'all'], { default: 'all', description: 'waiting: not sent again' }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Rows at most' }),
  cursor: Type.Optional(cursor),
})
export const deadLetterList = Type.Object({
  success: Type.Literal(true),
  data: Type.Array(
    Type.Object(
      {
        id: Type.Integer(),
        actor,
        lane,
        sequence: Type.Integer({ description: 'Sequence of its message in the stream' }),
        part: Type.Integer({ description: 'Index of the event within the message' }),
        subject: Type.String(),
        reason: Type.String({ description: 'Why it was not taken' }),
        payload_bytes: Type.Integer(),
        created_at: time('When it was refused'),
        retried_at: nullable(
          time(
            'When it was sent again; null: it waits, or comes from FEED (actor not pool) and cannot be retried',
          ),
        ),
      },
      { title: 'DeadLetter' },
    ),
  ),
  waiting: Type.Integer({ description: 'Dead letters that wait to be sent again' }),
  next_cursor: nullable(Type.String({ description: 'For the next page; null at the end' })),
})
export type DeadLetterParameters = Static<typeof deadLetterParameters>
export type DeadLetterList = Static<typeof deadLetterList>
export const ofDeadLetter = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Id of it' }),
})
export const sentLetters = enveloped(
  Type.Object(
    {
      sent: Type.Array(Type.Integer(), {
        description: 'Ids of the dead letters that were sent again',
      }),
      waiting: Type.Integer({ description: 'Dead letters that still wait' }),
    },
    { title: 'SentLetters' },
  ),
)

const wallet = Type.String({ format: 'address', description: 'Address of the wallet' })
export const kolParameters = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 1_000, description: 'Rows at most' }),
  cursor: Type.Optional(cursor),
})
export const kolList = Type.Object({
  success: Type.Literal(true),
  data: Type.Array(
    Type.Object(
      {
        wallet,
        display_name: Type.String(),
        twitter_handle: Type.String({ description: 'Without the @; empty: none is known' }),
      },
      { title: 'Kol' },
    ),
  ),
  next_cursor: nullable(Type.String({ description: 'For the next page; null at the end' })),
})
export const ofKol = Type.Object({ wallet })
export const newKol = Type.Object({
  wallet,
  display_name: Type.String({
    format: 'plain-text',
    minLength: 1,
    maxLength: 200,
    description: 'Name that rankings show',
  }),
  twitter_handle: Type.String({
    format: 'plain-text',
    default: '',
    maxLength: 16,
    description: '1 to 15 letters, digits or _, with or without an @; empty, or absent: none',
  }),
})
export const storedKol = enveloped(
  Type.Object(
    {
      wallet,
      display_name: Type.String(),
      twitter_handle: Type.String(),
      is_new: Type.Boolean({ description: 'Whether there was none of this wallet' }),
    },
    { title: 'StoredKol' },
  ),
)
export const removedKol = enveloped(
  Type.Object({ wallet, removed: Type.Literal(true) }, { title: 'RemovedKol' }),
)

const mint = Type.String({ format: 'address', description: 'Address of the mint' })
const sectorName = Type.String({ description: 'The newest of operators and token lines' })
export const sectorParameters = Type.Object({
  sector: Type.Optional(sector),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 1_000, description: 'Rows at most' }),
  cursor: Type.Optional(cursor),
})
export const sectorList = Type.Object({
  success: Type.Literal(true),
  data: Type.Array(
    Type.Object({ mint, symbol: nullable(Type.String()), sector: sectorName }, { title: 'Sector' }),
  ),
  next_cursor: nullable(Type.String({ description: 'For the next page; null at the end' })),
})
export const ofSector = Type.Object({ mint })
export const newSector = Type.Object({
  mint,
  sector: Type.String({ ...sector, description: "The sector: any word of one's own" }),
})
export const storedSector = enveloped(
  Type.Object(
    {
      mint,
      sector: Type.String({ description: 'The current sector; empty: none' }),
      is_counted: Type.Boolean({
        description:
          'Whether the workers have applied it; else it is in the stream and will be applied',
      }),
    },
    { title: 'StoredSector' },
  ),
)
