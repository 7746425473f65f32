/**
 * API keys as they are kept: SHA-256 only, with the first and last four characters of the random
 * part as a hint. A key is seen once, when it is made; every change leaves a line in the audit.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { type Environment, makeKey } from './key-format.ts'

export const TIERS = ['free', 'developer', 'pro', 'enterprise'] as const
export type Tier = (typeof TIERS)[number]

export type ListedKey = {
  id: number
  hint: string
  environment: Environment
  tier: Tier
  account: string
  created_at: Date
  grace_until: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

/** A key as the gateway judges it. */
export type StoredKey = {
  id: number
  key_hash: Buffer
  tier: Tier
  account: string
  lineage: string
  grace_until: Date | null
  revoked_at: Date | null
}

const HINT_LENGTH = 4

const insertKey = query<{ id: number }>('gateway/insert_key')
const selectKeys = query<ListedKey>('gateway/list_keys')
const updateRevoked = query<{ id: number }>('gateway/revoke_key')
const selectKey = query<StoredKey>('gateway/find_key')
const updateUsed = query('gateway/touch_key')

export function hashOfKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Makes and stores a key; the answer is the only place where it ever stands in full. */
export async function createKey(
  db: Queryable,
  wanted: { tier: Tier; environment: Environment; account: string; by: string },
): Promise<{ id: number; key: string; hint: string }> {
  const { tier, environment, account, by } = wanted
  const key = makeKey(environment, randomBytes)
  const secret = key.slice(key.lastIndexOf('_') + 1)
  const first = secret.slice(0, HINT_LENGTH)
  const last = secret.slice(-HINT_LENGTH)
  const [row] = await insertKey(db, [
    hashOfKey(key),
    first,
    last,
    environment,
    tier,
    account,
    randomUUID(),
    by,
  ])
  if (row === undefined) throw new Error('the key was not stored')
  return { id: row.id, key, hint: `${first}...${last}` }
}

/** All keys, oldest first, without anything that a key could be made from. */
export function listKeys(db: Queryable): Promise<ListedKey[]> {
  return selectKeys(db)
}

/** Ends a key for good; again is nothing new. Rejects with RangeError for an id that is none. */
export async function revokeKey(db: Queryable, id: number, by: string): Promise<void> {
  const revoked = await updateRevoked(db, [id, by])
  if (revoked.length === 0) throw new RangeError(`key "${id}": there is none of this id`)
}

export async function findKey(db: Queryable, hash: Buffer): Promise<StoredKey | undefined> {
  return (await selectKey(db, [hash]))[0]
}

/** Notes that a key was used, at most once a minute. */
export async function touchKey(db: Queryable, id: number): Promise<void> {
  await updateUsed(db, [id])
}
