/** Statements of sandwiches as of a slot: what they read, and by which indexes. */
import test from 'ava'
import { pastForm } from '../../../../api/resources/mev/past.ts'
import type { Db } from '../../../../sql/db.ts'
import { loadStatements } from '../../../../sql/statements/named.ts'
import { type Plan, planOfText } from '../../../support/api/plan.ts'
import { testDatabase } from '../../../support/servers/database.ts'
import { storedSandwiches } from './stored-sandwiches.ts'

const { statements } = loadStatements()
const textOf = (name: string) => pastForm(statements.get(`mev/${name}`)!)
const NAMES = [
  'list_legs',
  'list_of_transaction',
  'list_sandwiches_asc',
  'list_sandwiches_desc',
  'sum_losses',
]
const SANDWICHES = 2_000
const SETTLED_SLOT = SANDWICHES - 50
const BOTS = 20
const INT64_MAX = '9223372036854775807'
const INSERTS = storedSandwiches({
  ...{ sandwiches: SANDWICHES, bots: BOTS, victims: SANDWICHES },
  ...{ victimOf: 'slot', botOf: `slot % ${BOTS}` },
})

/** One bracket that begins after the settled slot, of a wallet. */
async function handedTo(db: Db, wallet: string): Promise<[bracket: string, legs: string]> {
  const { rows } = await db.query(
    `select (select id from wallet where address = $1) as own, (select id from pool) as pool`,
    [wallet],
  )
  const [{ own, pool }] = rows
  const slot = SETTLED_SLOT + 5
  const at = { slot, block_tx_index: 0, ix_index: 0, signature: 'handed', timestamp_ms: slot * 400 }
  const kind = { ruling: 'sandwich', link: 'wallet', width: 'slot', victim_count: 1 }
  const bracket = { ...at, ...kind, id: -1, pool_id: pool, last_slot: slot }
  const sums = { profit_lamports: '1', gain_of_others_lamports: '0' }
  const leg = { ...at, sandwich_id: -1, is_buy: true, sol_amount: '1', token_amount: '1' }
  const legs = ['front', 'victim', 'back'].map((role, n) => ({
    ...leg,
    ...{ role, ordinal: n + 1, wallet_id: own, loss_low: '1', loss_high: '1' },
  }))
  return [JSON.stringify([{ ...bracket, ...sums }]), JSON.stringify(legs)]
}

const rowsOf = (nodes: readonly Plan[], table: string): number =>
  nodes
    .filter((node) => node['Relation Name'] === table)
    .map(
      (node) =>
        ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) *
        (node['Actual Loops'] ?? 0),
    )
    .reduce((sum, each) => sum + each, 0)

test('a statement reads brackets and legs only as they are as of the slot, and can be planned', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const connection = await db.connect()
  t.teardown(() => connection.release())
  for (const name of NAMES) {
    const { text, sources } = textOf(name)
    t.true(sources.includes('sandwich_leg'), name)
    const calls = Array.from(text.matchAll(/(\S+ \S+ \S+ )(?:sandwich_repeats|sandwich_tie)\(/g))
    t.true(calls.length > 0 || name === 'list_legs', name)
    for (const [, before] of calls) t.is(before, '> 0 then ', name)
    t.notRegex(text, /\bis_counted_sandwich\b/, name)
    await t.notThrowsAsync(connection.query(`prepare ${name} as ${text}`), name)
  }
})

test('the list reads the rows of its page and those after the settled slot, with what is handed over', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  for (const text of INSERTS) await db.query(text)
  const handed = await handedTo(db, 'bot 3')
  const any = Array.from({ length: 9 }, () => null)
  const begin = { asc: [-1, -1, -1, '', ''], desc: [INT64_MAX, 0, 0, '', ''] } as const
  for (const order of ['asc', 'desc'] as const) {
    const { text } = textOf(`list_sandwiches_${order}`)
    const values = [...begin[order], 11, ...any, true, false, INT64_MAX, SETTLED_SLOT, ...handed]
    const { rows } = await db.query(text, values)
    t.is(rows.length, 11)
    const [first] = rows
    if (order === 'desc')
      t.like(first, { signature: 'handed', repeats: Math.floor(SETTLED_SLOT / BOTS) + 2 })
    t.is(rows[order === 'desc' ? 1 : 0].slot, order === 'desc' ? SETTLED_SLOT : 1)
    const nodes = await planOfText(db, text, values)
    // Columns of an answer count the sandwiches of the attacker again, at most 98 of each row.
    t.true(rowsOf(nodes, 'sandwich') <= 65 + 11 * 100, order)
    t.true(rowsOf(nodes, 'pool') <= 50, order)
  }
})

test('a victim of few sandwiches has these read, in sums as in the list', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  for (const text of INSERTS) await db.query(text)
  const handed = await handedTo(db, 'victim 7')
  const list = textOf('list_sandwiches_asc').text
  const any = Array.from({ length: 8 }, () => null)
  const rest = [SETTLED_SLOT, ...handed]
  const listed = [-1, -1, -1, '', '', 11, 'victim 7', ...any, false, false, INT64_MAX, ...rest]
  t.is((await db.query(list, listed)).rows.length, 2)
  t.true(rowsOf(await planOfText(db, list, listed), 'sandwich') <= 2 * 110)
  const sums = textOf('sum_losses').text
  const filters = ['victim 7', null, null, null, null, true, 10, INT64_MAX]
  const summed = ['all', 0, INT64_MAX, ...filters, ...rest]
  t.like((await db.query(sums, summed)).rows[0], { sandwiches: 2, victims: 2 })
  const nodes = await planOfText(db, sums, summed)
  t.true(rowsOf(nodes, 'sandwich_leg') <= 50)
})
