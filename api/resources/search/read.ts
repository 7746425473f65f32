/**
 * Search of tokens by symbol, name or mint, pools, wallets and a transaction.
 *
 * Every kind reads a bounded range of an index. When more than CANDIDATES_MAX tokens have or begin with a text, the
 * first in order of the text, then of arrival, are candidates; likewise for pools. Wallets all score the same, so
 * only the requested number is read.
 */

import type { Int64 } from '../../../domain/amount.ts'
import { isSignature } from '../../../domain/numbers/base58.ts'
import { type NameFlag, nameFlags } from '../../../domain/text/name-flags.ts'
import { trimPasted } from '../../../domain/text/padding.ts'
import { cutSearchKey, SEARCH_KEY_LENGTH_MAX, searchKey } from '../../../domain/text/search-key.ts'
import { venueOf } from '../../../domain/venue.ts'
import { inOnePiece } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { readTransaction } from '../swaps/read.ts'
import { type Match, scoreOf } from './score.ts'

export type Kind = 'token' | 'pool' | 'wallet' | 'transaction'
export type Found = {
  kind: Kind
  id: string
  label: string
  score: number
  name_flags: NameFlag[]
}

/** `names`: those that a result shows. */
type Candidate = Omit<Found, 'name_flags'> & { names: (string | null)[] }

type TokenRow = {
  match: Match
  mint: string
  symbol: string | null
  name: string | null
  symbol_key: string | null
  name_key: string | null
  swap_count: Int64
}
type PoolRow = {
  pair_address: string
  dex: number | null
  swap_count: Int64
  symbol: string | null
  token_address: string
}
type WalletRow = { wallet: string; display_name: string | null }

const listTokens = query<TokenRow>('search/list_tokens')
const listPools = query<PoolRow>('search/list_pools')
const listWallets = query<WalletRow>('search/list_wallets')

const CANDIDATES_MAX = 1_000
const BASE58_BEGINNING = /^[1-9A-HJ-NP-Za-km-z]{1,44}$/

/** The best fits, best first; ties by kind and id. */
export async function search(db: Queryable, text: string, limit: number): Promise<Found[]> {
  const term = trimPasted(text)
  const isAddress = BASE58_BEGINNING.test(term)
  const found = await inOnePiece(db, () =>
    Promise.all([
      findTokens(db, searchKey(unquoted(text)), isAddress ? term : null),
      isAddress ? findPools(db, term) : [],
      isAddress ? findWallets(db, term, limit) : [],
      isSignature(term) ? findTransaction(db, term) : [],
    ]),
  )
  const best = found.flat().sort(byScore).slice(0, limit)
  return best.map(({ names, ...each }) => ({ ...each, name_flags: nameFlags(...names) }))
}

/** `"bonk"` without its quotes; a quote at one end may be part of a name. */
function unquoted(text: string): string {
  const inner = trimPasted(text)
  const outer = text.trim()
  return outer.startsWith(inner) || outer.endsWith(inner) ? text : inner
}

/** `key`: of symbols and names; `mint`: beginning of one, or null where it is none. */
async function findTokens(db: Queryable, key: string, mint: string | null): Promise<Candidate[]> {
  if (key === '' && mint === null) return []
  const rows = await listTokens(db, [key === '' ? null : cutSearchKey(key), mint, CANDIDATES_MAX])
  return distinct(rows.flatMap((row) => foundToken(row, key, mint)))
}

async function findPools(db: Queryable, term: string): Promise<Candidate[]> {
  const rows = await listPools(db, [term, CANDIDATES_MAX])
  return distinct(rows.map((row) => foundPool(row, term)))
}

async function findWallets(db: Queryable, term: string, limit: number): Promise<Candidate[]> {
  const rows = await listWallets(db, [term, limit])
  return rows.map((row) => foundWallet(row, term))
}

async function findTransaction(db: Queryable, signature: string): Promise<Candidate[]> {
  const swaps = await readTransaction(db, signature)
  if (swaps.length === 0) return []
  const label = swaps.length === 1 ? 'transaction with a swap' : `${swaps.length} swaps`
  return [{ kind: 'transaction', id: signature, label, score: 1, names: [] }]
}

/** Nothing where only as much of the key fits as is stored. */
function foundToken(row: TokenRow, key: string, mint: string | null): Candidate[] {
  const { match, swap_count: swaps, symbol, name } = row
  const isNamed = match !== 'address'
  if (isNamed && key.length > SEARCH_KEY_LENGTH_MAX && !searchKey(row[match] ?? '').startsWith(key))
    return []
  const text = (isNamed ? row[`${match}_key`] : row.mint) ?? ''
  const score = scoreOf(match, isNamed ? key : (mint ?? ''), text, Number(swaps))
  return [{ kind: 'token', id: row.mint, label: labelOf(row), score, names: [symbol, name] }]
}

function labelOf({ symbol, name, mint }: TokenRow): string {
  if (!symbol) return name || mint
  return name ? `${symbol} (${name})` : symbol
}

function foundPool(row: PoolRow, term: string): Candidate {
  const score = scoreOf('address', term, row.pair_address, Number(row.swap_count))
  const of = row.symbol || row.token_address
  const label = row.dex === null ? `${of}/SOL` : `${of}/SOL on ${venueOf(row.dex).name}`
  return { kind: 'pool', id: row.pair_address, label, score, names: [row.symbol] }
}

function foundWallet({ wallet, display_name }: WalletRow, term: string): Candidate {
  const score = scoreOf('address', term, wallet, 0)
  const label = display_name ?? wallet
  return { kind: 'wallet', id: wallet, label, score, names: [display_name] }
}

/** Best match of each candidate that was found in several ways. */
function distinct(found: readonly Candidate[]): Candidate[] {
  const best = new Map<string, Candidate>()
  for (const each of found.toSorted(byScore)) {
    if (!best.has(each.id)) best.set(each.id, each)
  }
  return [...best.values()]
}

function byScore(a: Candidate, b: Candidate): number {
  if (a.score !== b.score) return b.score - a.score
  return `${a.kind} ${a.id}` < `${b.kind} ${b.id}` ? -1 : 1
}
