/**
 * The operators' key of `up` where ADMIN_TOKEN names none: made once and kept in SWAPTIDE_HOME/operator-key,
 * readable by its owner only.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readKept, writeKept } from './local/kept-file.ts'

const PREFIX = 'swaptide_operator_'
const SECRET_BYTES = 24

/** What such a key looks like, wherever it turns up. */
export const OPERATOR_KEYS = /\bswaptide_operator_[\w-]+/g

export async function operatorKey(adminKey: string | undefined, home: string): Promise<string> {
  if (adminKey !== undefined) return adminKey
  const path = join(home, 'operator-key')
  const kept = (await readKept(path))?.trim() ?? ''
  if (kept !== '') return kept
  const made = PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
  await writeKept(path, `${made}\n`)
  return made
}
