// Wallets tagged as the job does it, for tests of those who read tags.

import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { type Tag, tagBits } from '../../streams/wallet-tag.ts'

const insertWallets = query<{ id: number; address: string }>('pool/insert_wallets')
const findWallets = query<{ id: number; address: string }>('pool/find_wallets')
const mergeProfile = query('tags/merge_profile')

/** Each wallet's tags from now on, whatever they were: of one mint. `atMs` rises from call to call. */
export async function tagWallets(
  db: Db,
  tags: ReadonlyMap<string, readonly Tag[]>,
  atMs: number,
): Promise<void> {
  await insertWallets(db, [[...tags.keys()].sort()])
  for (const { id, address } of await findWallets(db, [[...tags.keys()]])) {
    const own = tags.get(address) ?? []
    const mints = own.map(() => 1)
    await mergeProfile(db, [id, atMs, mints, own, own.map(() => 1), tagBits(own)])
  }
}
