/**
 * What a text may mean: tokens by symbol, name or mint, pools, wallets, a transaction.
 *
 * Every kind is a range of an index and has a bound. Of texts that more than CANDIDATES_MAX tokens have,
 * or begin with, those are looked at that come first in order of the text, then in order of arrival; likewise
 * of pools. Wallets are level, so that as many are read as are asked for.
 */
import { inOnePiece, type Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { Int64 } from '../../streams/amount.ts'
import { isSignature } from '../../streams/base58.ts'
import { venueOf } from '../../streams/venue.ts'
import { readTransaction } from '../swaps/read.ts'
import { type Match, scoreOf } from './score.ts'

export type Kind = 'token' | 'pool' | 'wallet' | 'transaction'
export type Found = { kind: Kind; id: string; label: string; score: number }

type TokenRow = {
  match: Match
  mint: string
  symbol: string | null
  name: string | null
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
  const asked = text.trim()
  if (asked === '') return []
  const isAddress = BASE58_BEGINNING.test(asked)
  const found = await inOnePiece(db, () =>
    Promise.all([
      findTokens(db, asked, isAddress),
      isAddress ? findPools(db, asked) : [],
      isAddress ? findWallets(db, asked, limit) : [],
      isSignature(asked) ? findTransaction(db, asked) : [],
    ]),
  )
  return found.flat().sort(byScore).slice(0, limit)
}

async function findTokens(db: Queryable, asked: string, isAddress: boolean): Promise<Found[]> {
  const rows = await listTokens(db, [asked, isAddress ? asked : null, CANDIDATES_MAX])
  return distinct(rows.map((row) => foundToken(row, asked)))
}

async function findPools(db: Queryable, asked: string): Promise<Found[]> {
  const rows = await listPools(db, [asked, CANDIDATES_MAX])
  return distinct(rows.map((row) => foundPool(row, asked)))
}

async function findWallets(db: Queryable, asked: string, limit: number): Promise<Found[]> {
  const rows = await listWallets(db, [asked, limit])
  return rows.map((row) => foundWallet(row, asked))
}

async function findTransaction(db: Queryable, signature: string): Promise<Found[]> {
  const swaps = await readTransaction(db, signature)
  if (swaps.length === 0) return []
  const label = swaps.length === 1 ? 'transaction with a swap' : `${swaps.length} swaps`
  return [{ kind: 'transaction', id: signature, label, score: 1 }]
}

function foundToken({ match, swap_count, ...row }: TokenRow, asked: string): Found {
  const score = scoreOf(
    match,
    asked,
    (match === 'address' ? row.mint : row[match]) ?? '',
    Number(swap_count),
  )
  return { kind: 'token', id: row.mint, label: labelOf(row), score }
}

function labelOf({ symbol, name, mint }: Omit<TokenRow, 'match' | 'swap_count'>): string {
  if (symbol === null) return name ?? mint
  return name === null ? symbol : `${symbol} (${name})`
}

function foundPool(row: PoolRow, asked: string): Found {
  const score = scoreOf('address', asked, row.pair_address, Number(row.swap_count))
  const of = row.symbol ?? row.token_address
  const label = row.dex === null ? `${of}/SOL` : `${of}/SOL on ${venueOf(row.dex).name}`
  return { kind: 'pool', id: row.pair_address, label, score }
}

function foundWallet({ wallet, display_name }: WalletRow, asked: string): Found {
  const score = scoreOf('address', asked, wallet, 0)
  return { kind: 'wallet', id: wallet, label: display_name ?? wallet, score }
}

/** Of what was found in several ways, the best. */
function distinct(found: readonly Found[]): Found[] {
  const best = new Map<string, Found>()
  for (const each of found.toSorted(byScore)) {
    if (!best.has(each.id)) best.set(each.id, each)
  }
  return [...best.values()]
}

function byScore(a: Found, b: Found): number {
  if (a.score !== b.score) return b.score - a.score
  return `${a.kind} ${a.id}` < `${b.kind} ${b.id}` ? -1 : 1
}
