/**
 * Searches the stored swaps of every pool for sandwiches again, and compares with the stored brackets. One that slots which are still
 * to be followed may concern is counted as pending, and is no difference.
 */
import { MARGIN_SLOTS, type Stretch } from '../../domain/market/sandwich/cuts.ts'
import {
  mergedRuns,
  type SearchedPool,
  searchPool,
  stretchAround,
} from '../../history/sandwiches/stretch.ts'
import type { SlotRun } from '../../history/swaps/sandwiches.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { readBrackets, textOf } from '../sandwiches/store.ts'

/** `brackets`: refused ones too; 0 where no job has followed. `pending`: those that differ and may still change. */
export type SandwichReport = { brackets: number; pending: number; differences: string[] }

const hasStarted = query<{ has_started: boolean }>('sandwiches/find_start')
const listPools = query<SearchedPool>('sandwiches/list_pools')
const listAllDue = query<SlotRun>('sandwiches/list_due_runs')
const listStrays = query<{ pool_id: number; slot: number }>('sandwiches/list_strays')

const POOLS_A_PAGE = 1_000
const DIFFERENCES_MAX = 10

/** Reads in the snapshot of `connection`: pools whose first swap is of this slot or later. */
export async function verifySandwiches(
  connection: Connection,
  sinceSlot: number,
): Promise<SandwichReport> {
  const report: SandwichReport = { brackets: 0, pending: 0, differences: [] }
  const [start] = await hasStarted(connection)
  if (start?.has_started !== true) return report
  const due = mergedRuns(await listAllDue(connection))
  for (let after = 0; ; ) {
    const page = await listPools(connection, [after, POOLS_A_PAGE])
    for (const pool of page) {
      if ((pool.first_slot ?? 0) >= sinceSlot) await comparePool(connection, pool, { due, report })
    }
    const last = page.at(-1)
    if (last === undefined) break
    after = last.id
  }
  for (const { pool_id, slot } of await listStrays(connection)) {
    const isPending = due.length > 0
    note(report, isPending, `pool ${pool_id}, slot ${slot}: a bracket outside of its swaps`)
  }
  return report
}

type Comparing = { readonly due: readonly SlotRun[]; readonly report: SandwichReport }

async function comparePool(
  connection: Connection,
  pool: SearchedPool,
  { due, report }: Comparing,
): Promise<void> {
  for await (const searched of searchPool(connection, pool)) {
    const stored = await readBrackets(connection, pool.id, searched)
    const texts = new Map(stored.map(({ row }) => [textOf(row), row.slot]))
    const missing = searched.brackets.filter((row) => !texts.delete(textOf(row)))
    report.brackets += searched.brackets.length
    const differing = [
      ...missing.map((row) => ({ slot: row.slot, text: `absent, folded ${textOf(row)}` })),
      ...[...texts].map(([text, slot]) => ({ slot, text: `stored ${text}, folded absent` })),
    ]
    if (differing.length === 0) continue
    const pending = await pendingStretches(connection, pool, { due, searched })
    for (const { slot, text } of differing) {
      const isPending = pending.some(({ from, end }) => slot >= from && slot < end)
      note(report, isPending, `pool ${pool.id}, slot ${slot}: ${text}`)
    }
  }
}

function note(report: SandwichReport, isPending: boolean, text: string): void {
  if (isPending) report.pending += 1
  else if (report.differences.length < DIFFERENCES_MAX) report.differences.push(text)
}

/**
 * The stretches that slots which are still to be followed may concern, as far as they reach into the searched slots. A run is joined
 * to the next swap after it, so of the runs before the searched slots the last one reaches furthest.
 */
async function pendingStretches(
  connection: Connection,
  pool: SearchedPool,
  { due, searched }: { due: readonly SlotRun[]; searched: Stretch },
): Promise<Stretch[]> {
  const before = due.findLast(({ last }) => last < searched.from - MARGIN_SLOTS)
  const near = due.filter(
    ({ first, last }) =>
      last >= searched.from - MARGIN_SLOTS && first <= searched.end + MARGIN_SLOTS,
  )
  const stretches: Stretch[] = []
  for (const run of before === undefined ? near : [before, ...near]) {
    stretches.push(await stretchAround(connection, pool, run))
  }
  return stretches
}
