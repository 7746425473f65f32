/**
 * The keys that `up` makes once and stores in SWAPTIDE_HOME, readable by their owner only: `key` (tier pro, environment
 * dev, account local), because the database stores only its hash, `operator-key`, and `webhook-key`.
 */

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createKey, findKey, hashOfKey } from '../../api/gateway/keys/keys.ts'
import { OPERATOR_KEY_PREFIX } from '../../api/routing/key-format.ts'
import type { Db } from '../../sql/db.ts'
import { writeDurable } from '../local/files/durable-file.ts'
import { readSecret } from '../local/files/secret-file.ts'

const SECRET_BYTES = 24

/** The stored key, or a new one where that key is unknown, revoked, or rotated. */
export async function readyKey(db: Db, home: string): Promise<string> {
  const path = join(home, 'key')
  const stored = await readSecret(path)
  if (stored !== undefined && (await isLasting(db, stored))) return stored
  const wanted = { tier: 'pro', environment: 'dev', account: 'local', by: 'up' } as const
  const { key } = await createKey(db, wanted)
  await writeDurable(path, `${key}\n`)
  return key
}

async function isLasting(db: Db, key: string): Promise<boolean> {
  const stored = await findKey(db, hashOfKey(key))
  return stored !== undefined && stored.revoked_at === null && stored.grace_until === null
}

/** The operators' key: ADMIN_TOKEN, or the stored one. */
export async function operatorKey(adminKey: string | undefined, home: string): Promise<string> {
  if (adminKey !== undefined) return adminKey
  const path = join(home, 'operator-key')
  const stored = await readSecret(path)
  if (stored !== undefined) return stored
  const made = OPERATOR_KEY_PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
  await writeDurable(path, `${made}\n`)
  return made
}

/** The key of the secrets of webhooks that `up` made; undefined: it made none. */
export function storedWebhookKey(home: string): Promise<string | undefined> {
  return readSecret(join(home, 'webhook-key'))
}

/** The key of the secrets of webhooks: WEBHOOK_SECRET_KEY, or the stored one, which is made where there is none. */
export async function webhookKey(given: string | undefined, home: string): Promise<string> {
  const known = given ?? (await storedWebhookKey(home))
  if (known !== undefined) return known
  const made = randomBytes(SECRET_BYTES).toString('base64url')
  await writeDurable(join(home, 'webhook-key'), `${made}\n`)
  return made
}
