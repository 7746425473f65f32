/**
 * Names and ids of wallets and mints in a process. The pool actor interned them before it published their
 * swaps, so every id of what it published is there to be found. Ids never change, so all lanes that use one
 * database share what was learned.
 */

import { isAddress } from '../../../domain/numbers/base58.ts'
import type { Db } from '../../../sql/db.ts'
import { type Query, query } from '../../../sql/query.ts'
import { type Name, NameTable } from '../../../streams/codec/address-table.ts'
import type { LedgerNames } from '../../../streams/codec/ledger-decoder.ts'

type IdRow = { id: number; address: string }
export type Named = { readonly user: Name; readonly mint: Name }

const findWallets = query<IdRow>('ledger/find_wallets')
const findTokens = query<IdRow>('ledger/find_tokens')

/** Names remembered by a process, twice (two generations). */
const WALLETS_REMEMBERED = 300_000
const MINTS_REMEMBERED = 100_000
const PAIRS_REMEMBERED = 100_000

/** The names of a database's users, made with their first use. */
export function sharedNames(db: object): LedgerNames {
  let names = shared.get(db)
  if (names === undefined) {
    names = {
      users: new NameTable(WALLETS_REMEMBERED),
      mints: new NameTable(MINTS_REMEMBERED),
      pairs: new NameTable(PAIRS_REMEMBERED),
    }
    shared.set(db, names)
  }
  return names
}

const shared = new WeakMap<object, LedgerNames>()

/** Sees to it that every wallet and mint of a batch has its id; answers with those that have none. */
export async function learnIds(db: Db, decoded: readonly Named[]): Promise<ReadonlySet<Name>> {
  const wallets = new Set<Name>()
  const mints = new Set<Name>()
  for (const { user, mint } of decoded) {
    if (user.id === 0) wallets.add(user)
    if (mint.id === 0) mints.add(mint)
  }
  await Promise.all([learn(db, findWallets, wallets), learn(db, findTokens, mints)])
  return new Set([...wallets, ...mints].filter(({ id }) => id === 0))
}

async function learn(db: Db, find: Query<IdRow>, names: ReadonlySet<Name>): Promise<void> {
  if (names.size === 0) return
  const byText = Map.groupBy(names, ({ text }) => text)
  const addresses = [...byText.keys()].filter(isAddress)
  if (addresses.length === 0) return
  for (const row of await find(db, [addresses])) {
    for (const name of byText.get(row.address) ?? []) name.id = row.id
  }
}
