// Wallets tagged as the job does it, for tests of readers of tags.

import { type Tag, tagBits } from '../../../domain/wallet/wallet-tag.ts'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'

const internWallets = query('pool/intern_wallets')
const findProfile = query<{ id: number }>('tags/find_profile')
const mergeProfile = query('tags/merge_profile')

/** Replaces each wallet's tags: of one mint. `atMs` rises from call to call. */
export async function tagWallets(
  db: Db,
  tags: ReadonlyMap<string, readonly Tag[]>,
  atMs: number,
): Promise<void> {
  await internWallets(db, [[...tags.keys()].sort()])
  for (const [wallet, own] of tags) {
    const [known] = await findProfile(db, [wallet])
    const mints = own.map(() => 1)
    const found = [mints, own, own.map(() => 1), tagBits(own)]
    await mergeProfile(db, [known?.id, atMs, ...found, Number.MAX_SAFE_INTEGER])
  }
}
