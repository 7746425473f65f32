/** Reads the first buys of a token as of a slot: those of an installation that was fed the events up to it. */
import { query } from '../../../sql/query.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { expectStated, findPastToken } from '../past-market/tokens.ts'
import { type BirthRow, type FirstBuy, firstBuysOf } from '../tokens/read-profile.ts'

const findBirth = query<BirthRow>('as-of/find_past_birth')

/** In order. Rejects with ApiError for a mint of which nothing was indexed, and where its creator is not stored. */
export async function readPastFirstBuys(past: AsOfReading, mint: string): Promise<FirstBuy[]> {
  const token = await findPastToken(past, mint)
  expectStated(past, token, ['creator'])
  const [birth] = await findBirth(past.db, [token.id, past.slot])
  return birth === undefined ? [] : firstBuysOf(past.db, { ...birth, id: token.id })
}
