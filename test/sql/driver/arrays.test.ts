/** Arrays of integers as they come out of the database. */
import test from 'ava'
import { testDatabase } from '../../support/servers/database.ts'

test('an integer[] is its numbers, also when empty, nested, with nulls or with bounds', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const { rows } = await db.query(
    `select '{}'::integer[] as empty, array[7] as one, array[-2147483648, 0, 2147483647] as some,
       array[1, null] as with_null, array[[1, 2], [3, 4]] as nested, '[5:6]={1,2}'::integer[] as bound`,
  )
  t.deepEqual(rows, [
    {
      empty: [],
      one: [7],
      some: [-2_147_483_648, 0, 2_147_483_647],
      with_null: [1, null],
      nested: [
        [1, 2],
        [3, 4],
      ],
      bound: [1, 2],
    },
  ])
})
