/**
 * /admin/v1: keys and the audit, for operators. Parameters are in the query, as everywhere: the only body that the
 * service accepts is a GraphQL query. Every action of an operator is written to the audit.
 */
import Type from 'typebox'
import { createKey, KeyRefusal, listKeys, revokeKey, rotateKey } from '../../gateway/keys/keys.ts'
import { ApiError } from '../../routing/error.ts'
import { type Route, route } from '../../routing/route.ts'
import { listAudit } from '../audit.ts'
import { BY, changing, common } from '../operator-route.ts'
import { presentAudit, presentKeys, presentRotated } from './present.ts'
import {
  auditList,
  auditParameters,
  createdKey,
  keyList,
  newKey,
  ofKey,
  revokedKey,
  rotatedKey,
} from './schema.ts'

export const keyRoutes: readonly Route[] = [
  route({
    ...common,
    path: '/admin/v1/keys',
    operationId: 'listKeys',
    summary: 'All keys, oldest first, by their hints',
    parameters: Type.Object({}),
    answer: keyList,
    example: {},
    read: async (_, db) => presentKeys(await listKeys(db)),
  }),
  route({
    ...common,
    method: 'post',
    path: '/admin/v1/keys',
    operationId: 'createKey',
    summary: 'A new key',
    description:
      'The response is the only place that shows the key: the server stores its hash only.',
    parameters: newKey,
    answer: createdKey,
    errors: [...common.errors, 'FORBIDDEN', 'MISSING_PARAM'],
    example: { tier: 'developer', env: 'live', account: 'acme' },
    read: async ({ tier, env: environment, account, sql_access: sqlAccess }, db) => {
      const made = await createKey(db, { tier, environment, account, sqlAccess, by: BY })
      return {
        success: true as const,
        data: { ...made, tier, environment, account, sql_access: sqlAccess },
      }
    },
  }),
  route({
    ...changing,
    path: '/admin/v1/keys/{id}/rotate',
    operationId: 'rotateKey',
    summary: 'A successor of a key, which works 7 days more itself',
    description:
      'Account, tier, SQL access and quota are those of the old key; answers to that carry X-API-Key-Expires.',
    parameters: ofKey,
    answer: rotatedKey,
    example: { id: 1 },
    read: ({ id }, db) => refusing(async () => presentRotated(await rotateKey(db, id, BY), id)),
  }),
  route({
    ...changing,
    path: '/admin/v1/keys/{id}/revoke',
    operationId: 'revokeKey',
    summary: 'Revokes a key and ends its streams',
    parameters: ofKey,
    answer: revokedKey,
    example: { id: 1 },
    read: ({ id }, db) =>
      refusing(async () => {
        await revokeKey(db, id, BY)
        return { success: true as const, data: { id, revoked: true as const } }
      }),
  }),
  route({
    ...common,
    path: '/admin/v1/audit',
    operationId: 'listAuditEntries',
    summary: 'Actions of operators, newest first',
    parameters: auditParameters,
    answer: auditList,
    example: { limit: 10 },
    read: async ({ limit }, db) => presentAudit(await listAudit(db, limit)),
  }),
]

async function refusing<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof KeyRefusal)) throw error
    throw new ApiError(error.isUnknown ? 'NOT_FOUND' : 'INVALID_PARAM', error.message, {
      cause: error,
    })
  }
}
