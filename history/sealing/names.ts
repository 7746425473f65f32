/** Addresses of the pools and wallets of rows, by which these are ordered and hashed. */
import { pairHash } from '../../domain/numbers/signature-hash.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { SwapColumns } from '../codec/columns/swap-columns.ts'
import { hashText, type TextHash } from './content-hash.ts'

type Name = { readonly text: string; readonly hash: TextHash }
type PairName = Name & { readonly pairHash: number }
export type Names = { pair(id: number): PairName; wallet(id: number): Name }

const listPairs = query<{ id: number; pair_address: string }>('sealing/list_pairs')
const listWallets = query<{ id: number; wallet_address: string }>('sealing/list_wallets')

/** A name is an error where a row is of a pool or wallet that does not exist. */
export async function namesOf(
  connection: Connection,
  { count, integers }: SwapColumns,
): Promise<Names> {
  const pairs = await listPairs(connection, [distinct(integers.pool_id.low, count)])
  const wallets = await listWallets(connection, [distinct(integers.wallet_id.low, count)])
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

const distinct = (ids: Int32Array, count: number): number[] => [...new Set(ids.subarray(0, count))]

function missing(what: string, id: number): never {
  throw new Error(`swaps refer to ${what} ${id}, which does not exist: run "swaptide verify"`)
}
