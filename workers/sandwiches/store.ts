/** Stored brackets: reads those of a stretch, and replaces what differs from a search. */
import type { BracketRow, LegRow } from '../../domain/market/sandwich/stored-row.ts'
import type { Searched } from '../../history/sandwiches/stretch.ts'
import type { Connection } from '../../sql/db.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'

type StoredBracket = { id: number; row: BracketRow }

const listBrackets = query<Omit<BracketRow, 'legs'> & { id: number }>('sandwiches/list_brackets')
const listLegs = query<LegRow & { sandwich_id: number }>('sandwiches/list_legs')
const insertBracket = query<{ id: number }>('sandwiches/insert_bracket')
const insertLegs = query('sandwiches/insert_legs')
const deleteBrackets = query('sandwiches/delete_brackets')

/** The stored brackets of a pool that begin in slots from one to before another. */
export async function readBrackets(
  db: Queryable,
  poolId: number,
  { from, end }: Pick<Searched, 'from' | 'end'>,
): Promise<StoredBracket[]> {
  const brackets = await listBrackets(db, [poolId, from, end])
  if (brackets.length === 0) return []
  const legs = Map.groupBy(
    await listLegs(db, [brackets.map(({ id }) => id)]),
    ({ sandwich_id }) => sandwich_id,
  )
  return brackets.map(({ id, ...own }) => {
    const rows = (legs.get(id) ?? []).map(({ sandwich_id: _, ...row }) => row)
    return { id, row: { ...own, legs: rows } }
  })
}

/** One text for equal brackets, whatever the order of their fields. */
export function textOf({ legs, ...bracket }: BracketRow): string {
  const sorted = (row: object) => Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))
  const exact = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return JSON.stringify([sorted(bracket), legs.map(sorted)], exact)
}

/** Returns whether any row changed. */
export async function replaceBrackets(
  connection: Connection,
  poolId: number,
  searched: Searched,
): Promise<boolean> {
  const stored = await readBrackets(connection, poolId, searched)
  const found = new Map(searched.brackets.map((row) => [textOf(row), row]))
  const spent: number[] = []
  for (const { id, row } of stored) {
    if (!found.delete(textOf(row))) spent.push(id)
  }
  if (spent.length > 0) await deleteBrackets(connection, [spent])
  for (const row of found.values()) await insert(connection, poolId, row)
  return spent.length + found.size > 0
}

async function insert(connection: Connection, poolId: number, row: BracketRow): Promise<void> {
  const [inserted] = await insertBracket(connection, [
    ...[poolId, row.slot, row.block_tx_index, row.ix_index, row.signature, row.timestamp_ms],
    ...[row.last_slot, row.ruling, row.link, row.width, row.victim_count],
    ...[row.profit_lamports, row.gain_of_others_lamports],
  ])
  const of = (name: keyof LegRow) => row.legs.map((leg) => leg[name])
  await insertLegs(connection, [
    ...[inserted?.id, of('role'), of('wallet'), of('slot'), of('block_tx_index'), of('ix_index')],
    ...[of('timestamp_ms'), of('signature'), of('is_buy'), of('sol_amount'), of('token_amount')],
    ...[of('basis'), of('loss_low'), of('loss_high')],
  ])
}
