/**
 * Storage of API keys: SHA-256 only, with the first and last four characters of the random part as a hint. A key is
 * shown once, when it is created; every change is recorded in the audit log.
 */

import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { Tier } from '../../routing/caller.ts'
import { type Environment, makeKey } from '../../routing/key-format.ts'

/** Characters of an account's name. */
export const ACCOUNT_LENGTH_MAX = 200
export type ListedKey = {
  id: number
  hint: string
  environment: Environment
  tier: Tier
  account: string
  /** Whether its callers may query by SQL. */
  sql_access: boolean
  created_at: Date
  grace_until: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

/** Fields of a stored key that authentication needs. */
export type StoredKey = {
  id: number
  key_hash: Buffer
  tier: Tier
  account: string
  sql_access: boolean
  lineage: string
  grace_until: Date | null
  revoked_at: Date | null
}

/** No key has this id, or its state does not allow the change. */
export class KeyRefusal extends RangeError {
  override name = 'KeyRefusal'
  readonly isUnknown: boolean

  constructor(text: string, isUnknown = false) {
    super(text)
    this.isUnknown = isUnknown
  }
}

/** Grace period of a rotated key, as a PostgreSQL interval. */
const GRACE = '7 days'
const HINT_LENGTH = 4

const insertKey = query<{ id: number }>('gateway/insert_key')
const selectKeys = query<ListedKey>('gateway/list_keys')
const findRotatable =
  query<Pick<ListedKey, 'environment' | 'revoked_at' | 'grace_until'>>('gateway/find_rotatable')
const insertRotated = query<Omit<RotatedKey, 'key' | 'hint'>>('gateway/rotate_key')
const selectEnded = query<{ id: number }>('gateway/list_ended_keys')
const updateRevoked = query<{ id: number }>('gateway/revoke_key')
const selectKey = query<StoredKey>('gateway/find_key')
const updateUsed = query('gateway/touch_key')

export function hashOfKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

/** Creates and stores a key; only the result contains it in full. */
export async function createKey(
  db: Queryable,
  wanted: {
    tier: Tier
    environment: Environment
    account: string
    /** Absent: false. */
    sqlAccess?: boolean | undefined
    by: string
  },
): Promise<{ id: number; key: string; hint: string }> {
  const { tier, environment, account, sqlAccess = false, by } = wanted
  const { key, hash, first, last } = newKey(environment)
  const [row] = await insertKey(db, [
    hash,
    first,
    last,
    environment,
    tier,
    account,
    randomUUID(),
    by,
    sqlAccess,
  ])
  if (row === undefined) throw new Error('the key was not stored')
  return { id: row.id, key, hint: `${first}...${last}` }
}

export type RotatedKey = {
  /** Id of the new key. */
  id: number
  key: string
  hint: string
  environment: Environment
  tier: Tier
  account: string
  sql_access: boolean
  /** End of the grace period of the old key. */
  grace_until: Date
}

/**
 * Creates the successor of a key: same account, tier and lineage. The old key works for 7 more days. Rejects with
 * KeyRefusal if the key does not exist, is revoked or was rotated before.
 */
export async function rotateKey(db: Queryable, id: number, by: string): Promise<RotatedKey> {
  const [old] = await findRotatable(db, [id])
  if (old === undefined) throw unknownKey(id)
  const { key, hash, first, last } = newKey(old.environment)
  const [row] = await insertRotated(db, [id, hash, first, last, by, GRACE])
  if (row !== undefined) return { ...row, key, hint: `${first}...${last}` }
  const state = old.revoked_at === null ? 'was rotated before: rotate its successor' : 'is revoked'
  throw new KeyRefusal(`key "${id}" ${state}`)
}

function newKey(environment: Environment) {
  const key = makeKey(environment, randomBytes)
  const secret = key.slice(key.lastIndexOf('_') + 1)
  const first = secret.slice(0, HINT_LENGTH)
  return { key, hash: hashOfKey(key), first, last: secret.slice(-HINT_LENGTH) }
}

function unknownKey(id: number): KeyRefusal {
  return new KeyRefusal(`key "${id}" not found`, true)
}

/** Lists the given keys that were revoked or expired. */
export async function listEnded(db: Queryable, ids: readonly number[]): Promise<number[]> {
  return (await selectEnded(db, [ids])).map(({ id }) => id)
}

/** All keys, oldest first, without their hashes. */
export function listKeys(db: Queryable): Promise<ListedKey[]> {
  return selectKeys(db)
}

/** Revokes a key for good; idempotent. Rejects with KeyRefusal for an unknown id. */
export async function revokeKey(db: Queryable, id: number, by: string): Promise<void> {
  const revoked = await updateRevoked(db, [id, by])
  if (revoked.length === 0) throw unknownKey(id)
}

export async function findKey(db: Queryable, hash: Buffer): Promise<StoredKey | undefined> {
  return (await selectKey(db, [hash]))[0]
}

/** Stores when a key was last used, at most once a minute. */
export async function touchKey(db: Queryable, id: number): Promise<void> {
  await updateUsed(db, [id])
}
