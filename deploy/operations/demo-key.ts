/**
 * The ready-made key of `up`: made once (tier pro, environment dev, account local) and stored in SWAPTIDE_HOME/key,
 * readable by its owner only, because the database stores only a hash.
 */
import { join } from 'node:path'
import { createKey, findKey, hashOfKey } from '../../api/gateway/keys/keys.ts'
import type { Db } from '../../sql/db.ts'
import { readDurable, writeDurable } from '../local/files/durable-file.ts'

/** The stored key, or a new one where that key is unknown, revoked, or rotated. */
export async function readyKey(db: Db, home: string): Promise<string> {
  const path = join(home, 'key')
  const kept = (await readDurable(path))?.trim() ?? ''
  if (kept !== '' && (await isLasting(db, kept))) return kept
  const wanted = { tier: 'pro', environment: 'dev', account: 'local', by: 'up' } as const
  const { key } = await createKey(db, wanted)
  await writeDurable(path, `${key}\n`)
  return key
}

async function isLasting(db: Db, key: string): Promise<boolean> {
  const stored = await findKey(db, hashOfKey(key))
  return stored !== undefined && stored.revoked_at === null && stored.grace_until === null
}
