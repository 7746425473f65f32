/**
 * Search of tokens by symbol, name or mint, pools, wallets and a transaction. A text that is no beginning of an address,
 * such as a URL, is searched for the addresses and signatures in it.
 *
 * Every kind reads a bounded range of an index. When more than CANDIDATES_MAX tokens have or begin with a text, the
 * first in order of the text, then of the mint, are candidates; likewise for pools. Wallets all score the same, so
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
import { keysOf, namedIn } from './pasted.ts'
import { type Match, scoreOf } from './score.ts'

type Kind = 'token' | 'pool' | 'wallet' | 'transaction'
export type Found = {
  kind: Kind
  id: string
  label: string
  score: number
  name_flags: NameFlag[]
}

/** `names`: those that a result shows; `order`: of its address among those in the text. */
type Candidate = Omit<Found, 'name_flags'> & { names: (string | null)[]; order: number }

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

/** The best fits, best first; ties by their order in the text, then by kind and id. */
export async function search(db: Queryable, text: string, limit: number): Promise<Found[]> {
  const term = trimPasted(text)
  const isBeginning = BASE58_BEGINNING.test(term)
  const [key = '', ...otherKeys] = keysOf(searchKey(unquoted(text)))
  const named = isBeginning ? [] : namedIn(term)
  const found = await inOnePiece(db, () =>
    Promise.all([
      findTokens(db, key, isBeginning ? term : null),
      ...otherKeys.map((other) => findTokens(db, other, null)),
      isBeginning ? findAccounts(db, term, limit) : [],
      ...named.map((each, order) => findNamed(db, each, order)),
    ]),
  )
  const best = distinct(found.flat()).slice(0, limit)
  return best.map(({ names, order: _, ...each }) => ({ ...each, name_flags: nameFlags(...names) }))
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
  return rows.flatMap((row) => foundToken(row, key, mint))
}

/** Pools and wallets whose address begins with the term. */
async function findAccounts(db: Queryable, term: string, limit: number): Promise<Candidate[]> {
  const [pools, wallets] = await Promise.all([
    listPools(db, [term, CANDIDATES_MAX]),
    listWallets(db, [term, limit]),
  ])
  return [
    ...pools.map((row) => foundPool(row, term)),
    ...wallets.map((row) => foundWallet(row, term)),
  ]
}

/** Everything with this whole address or signature. `order`: of its mention in the text. */
async function findNamed(db: Queryable, named: string, order: number): Promise<Candidate[]> {
  const found = isSignature(named)
    ? [findTransaction(db, named)]
    : [findTokens(db, '', named), findAccounts(db, named, 1)]
  const all = (await Promise.all(found)).flat()
  return all.filter(({ id }) => id === named).map((each) => ({ ...each, order }))
}

async function findTransaction(db: Queryable, signature: string): Promise<Candidate[]> {
  const swaps = await readTransaction(db, signature)
  if (swaps.length === 0) return []
  const label = swaps.length === 1 ? 'transaction with a swap' : `${swaps.length} swaps`
  return [{ kind: 'transaction', id: signature, label, score: 1, names: [], order: 0 }]
}

/** Nothing where only as much of the key fits as is stored. */
function foundToken(row: TokenRow, key: string, mint: string | null): Candidate[] {
  const { match, swap_count: swaps, symbol, name } = row
  const isNamed = match !== 'address'
  if (isNamed && key.length > SEARCH_KEY_LENGTH_MAX && !searchKey(row[match] ?? '').startsWith(key))
    return []
  const text = (isNamed ? row[`${match}_key`] : row.mint) ?? ''
  const score = scoreOf(match, isNamed ? key : (mint ?? ''), text, Number(swaps))
  return [
    { kind: 'token', id: row.mint, label: labelOf(row), score, names: [symbol, name], order: 0 },
  ]
}

function labelOf({ symbol, name, mint }: TokenRow): string {
  if (!symbol) return name || mint
  return name ? `${symbol} (${name})` : symbol
}

function foundPool(row: PoolRow, term: string): Candidate {
  const score = scoreOf('address', term, row.pair_address, Number(row.swap_count))
  const of = row.symbol || row.token_address
  const label = row.dex === null ? `${of}/SOL` : `${of}/SOL on ${venueOf(row.dex).name}`
  return { kind: 'pool', id: row.pair_address, label, score, names: [row.symbol], order: 0 }
}

function foundWallet({ wallet, display_name }: WalletRow, term: string): Candidate {
  const score = scoreOf('address', term, wallet, 0)
  const label = display_name ?? wallet
  return { kind: 'wallet', id: wallet, label, score, names: [display_name], order: 0 }
}

/** The best match of each candidate that was found in several ways, best first. */
function distinct(found: readonly Candidate[]): Candidate[] {
  const best = new Map<string, Candidate>()
  for (const each of found.toSorted(byScore)) {
    const name = `${each.kind} ${each.id}`
    if (!best.has(name)) best.set(name, each)
  }
  return [...best.values()]
}

function byScore(a: Candidate, b: Candidate): number {
  if (a.score !== b.score) return b.score - a.score
  if (a.order !== b.order) return a.order - b.order
  return `${a.kind} ${a.id}` < `${b.kind} ${b.id}` ? -1 : 1
}
