/**
 * The tables of sandwiches as of a slot after which swaps are stored, as a connection: a statement of now that is sent through it reads
 * the brackets that an installation has which was fed every event up to the slot. Stored ones that are settled by then are read from the
 * tables, later ones are searched again and handed over.
 *
 * Law: later ones are those of the pools that a request concerns, and of the pools in which their attackers traded meanwhile, because
 * repeats count these. Rows of other pools are missing in it.
 * Decision: docs/decisions/0132-the-last-sandwiches-as-of-a-slot-are-searched-again.md
 */
import type { BracketRow, LegRow } from '../../../domain/market/sandwich/stored-row.ts'
import { DUST_BASE_UNITS } from '../../../domain/venue.ts'
import { type FoundBracket, searchUntil } from '../../../history/sandwiches/until.ts'
import { listPairedPools, type PairedPool } from '../../../history/swaps/sandwiches.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { replaceCalls } from '../../../sql/statements/calls.ts'
import { expressionOfFunction, readFunctions } from '../../../sql/statements/function-body.ts'
import { type ShadowedForm, shadowTable } from '../../../sql/statements/shadowed.ts'
import { viewer } from '../../../sql/viewed.ts'
import { type AsOfReading, expectFoldable } from '../../routing/reading/as-of.ts'

/**
 * The pools that a request concerns: those in which all of these wallets trade, and that are of its filters. `isRefused`: the request
 * lists refused brackets.
 */
export type Concerned = {
  readonly isRefused?: boolean
  readonly wallets: readonly string[]
  readonly isOf: (pool: Pick<PairedPool, 'pair_address' | 'token_address' | 'dex'>) => boolean
}
type WalletRow = { id: number; wallet: string }

const listWallets = query<WalletRow>('mev/list_wallets')
/** The texts that stand for the tables. */
const QUERIES = {
  sandwich: query('as-of/view_sandwiches').text,
  sandwich_leg: query('as-of/view_sandwich_legs').text,
}
type Source = keyof typeof QUERIES
const SOURCES = ['sandwich', 'sandwich_leg'] as const

const COMMENTS = /--.*/g
/** Functions that read the tables, by name. They state of a stored bracket what they did as of the slot. */
const FUNCTIONS = {
  sandwich_repeats: readFunctions('sandwich_repeats'),
  sandwich_tie: readFunctions('sandwich_tie'),
}

const viewOf = viewer(pastForm)

/** `settledSlot`: up to which stored brackets are those of the slot. Undefined: none begins later. Throws ApiError for too many swaps. */
export async function pastTables(
  past: AsOfReading,
  settledSlot: number,
  concerned: Concerned,
): Promise<Queryable | undefined> {
  const found = await findLast(past, settledSlot, concerned)
  if (found.length === 0) return undefined
  const wallets = await walletIds(past.db, found)
  const brackets = JSON.stringify(found.map(({ poolId, row }, n) => bracketOf(poolId, row, n)))
  const legs = JSON.stringify(found.flatMap(({ row }, n) => legsOf(row, n, wallets)))
  const parameters = { sandwich: [settledSlot, brackets], sandwich_leg: [legs] }
  return viewOf(past.db, (source) => parameters[source])
}

/** The brackets that begin after the settled slot. Repeats read others of their wallets. */
async function findLast(
  past: AsOfReading,
  settledSlot: number,
  { wallets, isOf, isRefused = false }: Concerned,
): Promise<FoundBracket[]> {
  const { db, slot } = past
  const first = settledSlot + 1
  const paired = await listPairedPools(db, { low: first, high: slot }, DUST_BASE_UNITS)
  const trading = paired.length === 0 ? [] : await listWallets(db, [wallets])
  if (trading.length < new Set(wallets).size) return []
  const own = paired.filter(
    (pool) => isOf(pool) && trading.every(({ id }) => pool.wallet_ids.includes(id)),
  )
  const wanted = {
    slots: { first, last: slot },
    expectRead: (swaps: number) => expectFoldable(past, swaps, 'request one pool or wallet'),
  }
  const search = async (pools: readonly PairedPool[]): Promise<FoundBracket[]> => {
    const ids = pools.map(({ id }) => id)
    const found = await searchUntil(db, ids, wanted)
    return isRefused ? found : found.filter(({ row }) => row.ruling === 'sandwich')
  }
  const found = await search(own)
  const attackers = await attackersOf(db, found)
  const others = paired.filter(
    (pool) => !own.includes(pool) && pool.wallet_ids.some((id) => attackers.has(id)),
  )
  return [...found, ...(await search(others))]
}

async function attackersOf(
  db: Queryable,
  found: readonly FoundBracket[],
): Promise<ReadonlySet<number>> {
  const attacking = found
    .flatMap(({ row }) => row.legs)
    .filter(({ role }) => role !== 'victim')
    .map(({ wallet }) => wallet)
  if (attacking.length === 0) return new Set()
  const rows = await listWallets(db, [[...new Set(attacking)]])
  return new Set(rows.map(({ id }) => id))
}

async function walletIds(
  db: Queryable,
  found: readonly FoundBracket[],
): Promise<ReadonlyMap<string, number>> {
  const trading = found.flatMap(({ row }) => row.legs.map(({ wallet }) => wallet))
  const rows = await listWallets(db, [[...new Set(trading)]])
  return new Map(rows.map(({ id, wallet }) => [wallet, id]))
}

/** Ids that no stored bracket has. */
const idOf = (n: number): number => -1 - n

/** A row of `sandwich`, integers as texts: a number of JSON may be rounded. */
function bracketOf(poolId: number, { legs: _, ...row }: BracketRow, n: number): object {
  return textsOf({ id: idOf(n), pool_id: poolId, ...row })
}

/** Rows of `sandwich_leg`. */
function legsOf(
  { legs: own }: BracketRow,
  n: number,
  wallets: ReadonlyMap<string, number>,
): object[] {
  return own.map(({ wallet, ...leg }: LegRow, at) =>
    textsOf({ sandwich_id: idOf(n), ordinal: at + 1, wallet_id: wallets.get(wallet), ...leg }),
  )
}

const textsOf = (row: object): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]),
  )

/** The text of a statement as of a slot. Pure. */
export function pastForm(statement: string): ShadowedForm<Source> {
  let text = statement.replaceAll(COMMENTS, '').trimStart()
  text = replaceCalls(text, 'is_counted_sandwich', (argument) =>
    expressionOfFunction(FUNCTIONS.sandwich_repeats, 'is_counted_sandwich', argument),
  )
  for (const [name, file] of Object.entries(FUNCTIONS)) {
    text = replaceCalls(text, name, (argument) => {
      const [id = ''] = argument.split(',')
      const handed = expressionOfFunction(file, name, argument)
      return `(case when ${id} > 0 then ${name}(${argument}) else ${handed} end)`
    })
  }
  const words = new Set(text.match(/\w+/g))
  const sources = SOURCES.filter((source) => words.has(source))
  for (const source of sources) text = shadowTable(text, source, QUERIES[source])
  return { text, sources }
}
