/** Statements of stored swaps over the table and over swaps that are handed to them, on the real schema. */
import test from 'ava'
import fc from 'fast-check'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import type { SealedSwap } from '../../../history/codec/row.ts'
import { handedColumns, sealedForm, swapStatement } from '../../../history/sealed/statement.ts'
import type { StoredSwap } from '../../../history/sealed/stored-swap.ts'
import { query } from '../../../sql/query.ts'
import { loadStatements } from '../../../sql/statements/named.ts'
import { anyRow, extremeRows, ROW } from '../../support/history/row-cases.ts'
import { testDatabase } from '../../support/servers/database.ts'

const listAll = query<StoredSwap>('swap-history/list_with_handed')
const CREATE_JUDGED = 'leaderboard/create_judged_hours'
/** Reads a column that only rows of the table have: the transaction that stored them. */
const HOT_ONLY = ['swap-history/list_committed_swaps']

test('every statement of stored swaps can be planned over both', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const connection = await db.connect()
  t.teardown(() => connection.release())
  const { statements } = loadStatements()
  const own = [...statements].filter(
    ([name, text]) =>
      name.startsWith('swap-history/') &&
      !HOT_ONLY.includes(name) &&
      /\bswap\b/.test(text.replaceAll(/--.*/g, '')),
  )
  t.true(own.length > 50)
  await connection.query('begin')
  await connection.query(statements.get(CREATE_JUDGED)!.replaceAll(/\$\d/g, '0'))
  const refused: string[] = []
  for (const [index, [name, text]] of own.entries()) {
    const planned = sealedForm(text).replace(/^declare .*\n/m, '')
    await connection.query('savepoint before')
    await connection.query(`prepare statement_${index} as ${planned}`).catch((error: Error) => {
      refused.push(`${name}: ${error.message}`)
      return connection.query('rollback to before')
    })
  }
  await connection.query('rollback')
  t.deepEqual(refused, [])
})

test('rows are read as they were handed over, in the columns of the table', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const { rows: columns } = await db.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = 'swap'::regclass and attnum > 0 and not attisdropped order by attnum`,
  )
  const { fields } = await db.query(listAll.text, handedColumns([]))
  t.deepEqual(
    fields.map(({ name }) => name),
    columns.map(({ name }) => name),
  )
  const check = async (rows: readonly SealedSwap[]): Promise<void> => {
    const handed = rows.map(storedForm)
    t.deepEqual(await listAll(db, handedColumns(handed)), handed)
  }
  await check(extremeRows().map((row) => ({ ...row, dex: 3 })))
  await fc.assert(fc.asyncProperty(fc.array(anyRow, { maxLength: 20 }), check), { numRuns: 30 })
})

const storedForm = (row: SealedSwap): StoredSwap => ({
  ...row,
  signature: encodeBase58(row.signature),
  blockhash: row.blockhash % 2 === 0 ? null : encodeBase58(row.signature.subarray(0, 32)),
})

test('without swaps that are handed over a statement is the one of the file, with them it reads both', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const findSlot = swapStatement<{ slot: number }>('swap-history/find_next_slot')
  const handed = [5, 9].map((slot) => storedForm({ ...ROW, slot }))
  t.deepEqual(await findSlot(db, [1, 100], []), [])
  t.deepEqual(await findSlot(db, [1, 100], handed), [{ slot: 5 }])
  await db.query(
    `insert into swap ${listAll.text.slice(listAll.text.indexOf('select'))}`,
    handedColumns([storedForm({ ...ROW, slot: 4 })]),
  )
  t.deepEqual(await findSlot(db, [1, 100], handed), [{ slot: 4 }])
  t.deepEqual(await findSlot(db, [5, 100], handed), [{ slot: 5 }])
})
