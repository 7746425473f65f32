/** What operators do with keys: parameters and answers of /admin/v1. */
import Type, { type Static } from 'typebox'
import { ENVIRONMENTS } from '../gateway/key-format.ts'
import { TIERS } from '../gateway/keys.ts'
import { nullable } from '../schema.ts'

const enveloped = <T extends Type.TSchema>(shape: T) =>
  Type.Object({ success: Type.Literal(true), data: shape })
const time = (description: string) => Type.String({ format: 'date-time', description })

const keyId = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Id of a key' })
const tier = Type.Enum([...TIERS])
const environment = Type.Enum([...ENVIRONMENTS])

export const ofKey = Type.Object({ id: keyId })
export const newKey = Type.Object({
  tier: Type.Enum([...TIERS], { description: 'What the key may do' }),
  env: Type.Enum([...ENVIRONMENTS], { description: 'Stands in the key' }),
  account: Type.String({
    format: 'plain-text',
    minLength: 1,
    maxLength: 200,
    description: 'Whose key it is',
  }),
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
}
export const createdKey = enveloped(Type.Object(madeKey))
export const rotatedKey = enveloped(
  Type.Object({
    ...madeKey,
    rotated: Type.Integer({ description: 'Id of the old key' }),
    grace_until: time('Until when the old key works'),
  }),
)
export const revokedKey = enveloped(Type.Object({ id: keyId, revoked: Type.Literal(true) }))
export const keyList = enveloped(
  Type.Array(
    Type.Object({
      id: keyId,
      hint: Type.String(),
      environment,
      tier,
      account: Type.String(),
      created_at: time('When it was made'),
      grace_until: nullable(time('Of a key that was rotated: until when it works')),
      revoked_at: nullable(time('When it was revoked')),
      last_used_at: nullable(time('When it was used last, to a minute or so')),
    }),
  ),
)
export const auditList = enveloped(
  Type.Array(
    Type.Object({
      id: Type.Integer(),
      key_id: Type.Integer(),
      action: Type.Enum(['created', 'rotated', 'revoked']),
      actor: Type.String({ description: 'Who did it' }),
      at: time('When'),
    }),
  ),
)
export type AuditList = Static<typeof auditList>
