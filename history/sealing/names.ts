/** Addresses of the pools and wallets of rows, by which these are ordered and hashed. */
import { pairHash } from '../../domain/numbers/signature-hash.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { SwapColumns } from '../codec/columns/swap-columns.ts'
import { hashText, type TextHash } from './content-hash.ts'

type Name = { readonly text: string; readonly hash: TextHash }
type PairName = Name & { readonly pairHash: number }

const listPairs = query<{ id: number; pair_address: string }>('sealing/list_pairs')
const listWallets = query<{ id: number; wallet_address: string }>('sealing/list_wallets')

/** Names by id, each read once. */
export class Names {
  private readonly pairs = new Map<number, PairName>()
  private readonly wallets = new Map<number, Name>()

  /** Reads those of rows. */
  async load(connection: Connection, { count, integers }: SwapColumns): Promise<void> {
    const pairIds = unknown(integers.pool_id.low, count, this.pairs)
    for (const { id, pair_address: text } of await listPairs(connection, [pairIds])) {
      this.pairs.set(id, { text, hash: hashText(text), pairHash: pairHash(text) })
    }
    const walletIds = unknown(integers.wallet_id.low, count, this.wallets)
    for (const { id, wallet_address: text } of await listWallets(connection, [walletIds])) {
      this.wallets.set(id, { text, hash: hashText(text) })
    }
  }

  /** Throws where the pool does not exist. */
  pair(id: number): PairName {
    return this.pairs.get(id) ?? missing('pool', id)
  }

  /** Throws where the wallet does not exist. */
  wallet(id: number): Name {
    return this.wallets.get(id) ?? missing('wallet', id)
  }
}

function unknown(ids: Int32Array, count: number, known: ReadonlyMap<number, Name>): number[] {
  const found = new Set<number>()
  for (let row = 0; row < count; row++) {
    const id = ids[row] as number
    if (!known.has(id)) found.add(id)
  }
  return [...found]
}

function missing(what: string, id: number): never {
  throw new Error(`swaps refer to ${what} ${id}, which does not exist: run "swaptide verify"`)
}
