/** Arrays in binary form, as the real server reads them. */
import test from 'ava'
import fc from 'fast-check'
import { int8Array, optionalInt8Array, plainArray } from '../../../sql/binary/arrays.ts'
import { testDatabase } from '../../support/servers/database.ts'

test('the server reads the encoded values, at both ends of int64 and empty', async (t) => {
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

test('integers of which some are null come as they were meant', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const int64 = fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(int64, { nil: null }), { maxLength: 50 }),
      async (values) => {
        const { rows } = await db.query('select $1::bigint[]::text as read', [
          optionalInt8Array(values),
        ])
        t.is(rows[0].read, `{${values.map((value) => value ?? 'NULL').join(',')}}`)
      },
    ),
    { numRuns: 30, examples: [[[]], [[null]], [[null, -1, 2n ** 63n - 1n, null]]] },
  )
})

test('arrays in plain text are read as they were meant, nulls and doubles to the last bit', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const double = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: null })
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const row = fc.tuple(double, fc.option(int64, { nil: null }), fc.boolean(), fc.base64String())
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (values) => {
      const words = values.map(([, , , word]) => `w${word.replace(/[^a-zA-Z0-9]/g, '')}`)
      const { rows } = await db.query(
        `select d, i::text as i, b, w
        from unnest($1::double precision[], $2::bigint[], $3::boolean[], $4::text[]) as row (d, i, b, w)`,
        [
          plainArray(values.map(([each]) => each)),
          plainArray(values.map(([, each]) => each)),
          plainArray(values.map(([, , each]) => each)),
          plainArray(words),
        ],
      )
      t.deepEqual(
        rows.map(({ d, i, b, w }) => [d === null ? null : d + 0, i, b, w]),
        values.map(([d, i, b], index) => [
          d === null ? null : d + 0,
          i === null ? null : `${i}`,
          b,
          words[index],
        ]),
      )
    }),
    { numRuns: 30 },
  )
})
