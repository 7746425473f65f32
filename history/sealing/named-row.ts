/** Rows with the addresses of their pools and wallets, by which they are ordered and hashed. */
import { pairHash } from '../../domain/numbers/signature-hash.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { hashText, type TextHash } from './content-hash.ts'
import type { UnsealedRow } from './unsealed-rows.ts'

type Name = { readonly text: string; readonly hash: TextHash }
type PairName = Name & { readonly pairHash: number }
export type NamedRow = UnsealedRow & { readonly pair: PairName; readonly wallet: Name }

const listPairs = query<{ id: number; pair_address: string }>('sealing/list_pairs')
const listWallets = query<{ id: number; wallet_address: string }>('sealing/list_wallets')

/** Throws where a row is of a pool or wallet that does not exist. */
export async function nameRows(
  connection: Connection,
  rows: readonly UnsealedRow[],
): Promise<NamedRow[]> {
  const names = await namesOf(
    connection,
    rows.map(({ sealed }) => sealed),
  )
  return rows.map((row) => ({
    ...row,
    pair: names.pair(row.sealed.pool_id),
    wallet: names.wallet(row.sealed.wallet_id),
  }))
}

export type Names = { pair(id: number): PairName; wallet(id: number): Name }

export async function namesOf(
  connection: Connection,
  rows: readonly { pool_id: number; wallet_id: number }[],
): Promise<Names> {
  const pairs = await listPairs(connection, [[...new Set(rows.map((row) => row.pool_id))]])
  const wallets = await listWallets(connection, [[...new Set(rows.map((row) => row.wallet_id))]])
  const pairNames = new Map(
    pairs.map(({ id, pair_address: text }) => [
      id,
      { text, hash: hashText(text), pairHash: pairHash(text) },
    ]),
  )
  const walletNames = new Map(
    wallets.map(({ id, wallet_address: text }) => [id, { text, hash: hashText(text) }]),
  )
  return {
    pair: (id) => pairNames.get(id) ?? missing('pool', id),
    wallet: (id) => walletNames.get(id) ?? missing('wallet', id),
  }
}

function missing(what: string, id: number): never {
  throw new Error(`swaps refer to ${what} ${id}, which does not exist: run "swaptide verify"`)
}
