/** Reads a wallet's tags from its newest profile. */

import type { Tag } from '../../../domain/wallet/wallet-tag.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'

type TagRow = { tag: Tag; score: number; mint: string; computed_ms: number }
/** `computedMs` null: never profiled. */
export type TagsRead = { rows: TagRow[]; computedMs: number | null }

const findProfile = query<{ id: number; computed_ms: number | null; has_traded: boolean }>(
  'tags/find_profile',
)
const listTags = query<TagRow>('tags/list_tags')

/** Undefined for a wallet without an indexed swap. */
export async function readTags(db: Queryable, wallet: string): Promise<TagsRead | undefined> {
  const [profile] = await findProfile(db, [wallet])
  if (profile === undefined || !profile.has_traded) return undefined
  const { id, computed_ms: computedMs } = profile
  return { rows: computedMs === null ? [] : await listTags(db, [id]), computedMs }
}
