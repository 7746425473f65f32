/**
 * Names and ids of wallets and mints in a process. The pool actor interned them before it announced their
 * swaps, so every id is there to be found. Ids never change, so all lanes that use one database share
 * what was learned.
 */
import type { Db } from '../sql/db.ts'
import { type Query, query } from '../sql/query.ts'
import type { LedgerNames } from '../streams/ledger-wire.ts'
import { type Name, NameTable } from '../streams/name-table.ts'

type IdRow = { id: number; address: string }

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

/** Sees to it that every wallet and mint of a batch has its id. */
export async function learnIds(
  db: Db,
  heard: readonly { user: Name; mint: Name }[],
): Promise<void> {
  const wallets = new Set<Name>()
  const mints = new Set<Name>()
  for (const { user, mint } of heard) {
    if (user.id === 0) wallets.add(user)
    if (mint.id === 0) mints.add(mint)
  }
  await Promise.all([learn(db, findWallets, wallets), learn(db, findTokens, mints)])
}

async function learn(db: Db, find: Query<IdRow>, names: ReadonlySet<Name>): Promise<void> {
  if (names.size === 0) return
  const byText = Map.groupBy(names, ({ text }) => text)
  for (const row of await find(db, [[...byText.keys()]])) {
    for (const name of byText.get(row.address) ?? []) name.id = row.id
  }
  for (const { text, id } of names) {
    if (id === 0) throw new Error(`"${text}" was announced and has no id`)
  }
}
