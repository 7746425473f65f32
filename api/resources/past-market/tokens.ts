/**
 * Tokens as of a slot: whether they were known, and what token lines stated of them.
 *
 * Law: of a fact only the line of the highest slot is stored. Where that is after the slot, an earlier one may have been in its
 * place: it is refused by name, and never shown or left out.
 */
import type { Int64 } from '../../../domain/amount.ts'
import { query } from '../../../sql/query.ts'
import { ApiError } from '../../routing/error.ts'
import { shown } from '../../routing/parameters.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'

type Fact = 'creator' | 'symbol' | 'name' | 'decimals' | 'supply'
/** Facts as the newest lines state them. */
export type PastToken = {
  id: number
  mint: string
  symbol: string | null
  name: string | null
  decimals: number | null
  /** Base units. */
  supply: Int64 | null
  later_facts: readonly Fact[]
}
type TokenRow = PastToken & { is_known: boolean; is_named_later: boolean }

const listTokens = query<TokenRow>('as-of/list_past_tokens')

/** The mints that were known at the slot, by mint. Throws ApiError where that is not stored of one. */
export async function listPastTokens(
  { db, slot }: AsOfReading,
  mints: readonly string[],
): Promise<PastToken[]> {
  const rows = await listTokens(db, [mints, slot])
  const unclear = rows.find(({ is_named_later }) => is_named_later)
  if (unclear !== undefined) {
    throw notStored(unclear.mint, `only lines after slot ${slot} are stored of the token`)
  }
  return rows.filter(({ is_known }) => is_known)
}

/** The mint as it was at the slot. Throws ApiError where it was not known, or where that is not stored. */
export async function findPastToken(past: AsOfReading, mint: string): Promise<PastToken> {
  const [token] = await listPastTokens(past, [mint])
  if (token === undefined) throw new ApiError('NOT_FOUND', `no indexed token "${shown(mint)}"`)
  return token
}

/** Throws ApiError where a line after the slot states one of the facts. */
export function expectStated(
  { slot }: AsOfReading,
  { mint, later_facts: later }: PastToken,
  facts: readonly Fact[],
): void {
  const fact = facts.find((each) => later.includes(each))
  if (fact === undefined) return
  throw notStored(mint, `its ${fact} is of a line after slot ${slot}, and no earlier one is stored`)
}

const notStored = (mint: string, reason: string): ApiError =>
  new ApiError('AS_OF_UNSUPPORTED', `token "${shown(mint)}": ${reason}`)
