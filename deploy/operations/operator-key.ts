/**
 * The operators' key of `up` where ADMIN_TOKEN is not set: made once and stored in SWAPTIDE_HOME/operator-key, readable
 * by its owner only.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { OPERATOR_KEY_PREFIX } from '../../api/routing/key-format.ts'
import { readDurable, writeDurable } from '../local/files/durable-file.ts'

const SECRET_BYTES = 24

export async function operatorKey(adminKey: string | undefined, home: string): Promise<string> {
  if (adminKey !== undefined) return adminKey
  const path = join(home, 'operator-key')
  const kept = (await readDurable(path))?.trim() ?? ''
  if (kept !== '') return kept
  const made = OPERATOR_KEY_PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
  await writeDurable(path, `${made}\n`)
  return made
}
