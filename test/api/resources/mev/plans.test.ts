/** The list reads its page. The list of one wallet's sandwiches reads its own, by its legs, and not all that lie before them in the order of the list. */
import test from 'ava'
import { type Plan, planAsRun } from '../../../support/api/plan.ts'
import { testDatabase } from '../../../support/servers/database.ts'
import { storedSandwiches } from './stored-sandwiches.ts'

const SANDWICHES = 2_000
const BOTS = 20
const INT64_MAX = '9223372036854775807'

const INSERTS = storedSandwiches({
  ...{ sandwiches: SANDWICHES, bots: BOTS, victims: SANDWICHES / 2 },
  victimOf: '(slot + 1) / 2',
  botOf: `case when slot <= 10 then 0 else 1 + slot % ${BOTS - 1} end`,
})

const BEGIN = {
  asc: [-1, -1, -1, '', ''],
  desc: [INT64_MAX, 0, 0, '', ''],
} as const

/** Rows of a table that were read. */
function rowsOf(nodes: readonly Plan[], table: string): number {
  const reads = nodes.filter((node) => node['Relation Name'] === table)
  const rows = reads.map(
    (node) =>
      ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) *
      (node['Actual Loops'] ?? 0),
  )
  return rows.reduce((sum, each) => sum + each, 0)
}

test('the list reads the rows of its page, in either order, and those that are settled', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  for (const text of INSERTS) await db.query(text)
  const any = Array.from({ length: 9 }, () => null)
  for (const order of ['asc', 'desc'] as const) {
    const values = [...BEGIN[order], 11, ...any, false, false, SANDWICHES - 50]
    const nodes = await planAsRun(db, `mev/list_sandwiches_${order}`, values)
    t.true(rowsOf(nodes, 'sandwich') <= 12, order)
  }
})

test('a victim or an attacker of few sandwiches has these read, in either order', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  for (const text of INSERTS) await db.query(text)
  for (const isAnalyzed of [false, true]) {
    if (isAnalyzed) await db.query('analyze')
    for (const order of ['asc', 'desc'] as const) {
      for (const [victim, attacker, own] of [
        ['victim 700', null, 2],
        [null, 'bot 0', 10],
        ['unknown', null, 0],
      ] as const) {
        const rest = [null, null, null, null, null, null, null, true, false, SANDWICHES]
        const values = [...BEGIN[order], 101, victim, attacker, ...rest]
        const nodes = await planAsRun(db, `mev/list_sandwiches_${order}`, values)
        const hint = `${order} ${victim ?? attacker}, analyzed ${isAnalyzed}`
        // Columns of an answer count the sandwiches of the attacker again.
        t.true(rowsOf(nodes, 'sandwich') <= 10 * (1 + own), hint)
        t.true(rowsOf(nodes, 'wallet') <= 1, hint)
      }
    }
  }
})
