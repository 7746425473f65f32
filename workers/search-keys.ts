/**
 * Search keys of tokens without keys, or with keys of another version of the key function or of Unicode: computed after
 * the migrations, before workers and API of this version start.
 *
 * Law: after it, every text of a token is without padding and next to its key. Safe to run at any time and by
 * several at once: each row is computed from its texts only.
 */

import { trimName } from '../domain/text/padding.ts'
import { SEARCH_KEY_VERSION, storedSearchKey } from '../domain/text/search-key.ts'
import type { Db } from '../sql/db.ts'
import { query } from '../sql/query.ts'

type Texts = { id: number } & Record<(typeof TEXTS)[number], string | null>

const findVersion = query<{ version: string }>('search-keys/find_version')
const storeVersion = query('search-keys/store_version')
const listUnkeyed = query<Texts>('search-keys/list_unkeyed')
const listTokens = query<Texts>('search-keys/list_tokens')
const updateKeys = query('search-keys/update_keys')

const TEXTS = ['symbol', 'name', 'sector'] as const
/** Rows that are locked at once. */
const TOKENS_A_PAGE = 5_000

/** Resolves to the number of tokens processed. */
export async function refreshSearchKeys(db: Db): Promise<number> {
  const version = `${SEARCH_KEY_VERSION} of Unicode ${process.versions.unicode}`
  const [known] = await findVersion(db)
  const list = known?.version === version ? listUnkeyed : listTokens
  let count = 0
  for (let after = 0; ; ) {
    const page = await list(db, [after, TOKENS_A_PAGE])
    const last = page.at(-1)
    if (last === undefined) break
    await updateKeys(db, columnsOf(page))
    count += page.length
    after = last.id
  }
  if (known?.version !== version) await storeVersion(db, [version])
  return count
}

/** The parameters of search-keys/update_keys. */
function columnsOf(page: readonly Texts[]): unknown[][] {
  const columns = (write: (text: string) => string): (string | null)[][] =>
    TEXTS.map((name) => page.map(({ [name]: text }) => (text === null ? null : write(text))))
  return [
    page.map(({ id }) => id),
    ...columns((text) => text),
    ...columns(trimName),
    ...columns((text) => storedSearchKey(text)),
  ]
}
