/** Arrays in binary form, as the real server reads them. */
import test from 'ava'
import fc from 'fast-check'
import { int8Array } from '../../workers/binary-array.ts'
import { testDatabase } from '../support/database.ts'

test('the server reads what was meant, at both ends of int64 and empty', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  await fc.assert(
    fc.asyncProperty(fc.array(int64, { maxLength: 50 }), async (values) => {
      const { rows } = await db.query('select $1::bigint[]::text as read', [int8Array(values)])
      t.is(rows[0].read, `{${values.join(',')}}`)
    }),
    { numRuns: 30, examples: [[[]], [[-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n]]] },
  )
})
