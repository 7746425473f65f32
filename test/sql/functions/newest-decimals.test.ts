/** Decimals of pools' newest swaps and mint_decimals(), against a naive model. */
import test from 'ava'
import fc from 'fast-check'
import { compareSwaps } from '../../../domain/events/swap.ts'
import type { Db } from '../../../sql/db.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { naiveDecimals } from '../../simulation/models/price-model.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { tiedSwaps } from '../../support/market/sample-swap.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { testDatabase } from '../../support/servers/database.ts'

test('a pool has the decimals of its canonically last swap, a mint those of its newest pool', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const some = tiedSwaps({ minLength: 300, maxLength: 400 })
  const [tied = []] = fc.sample(some, { numRuns: 1, seed: 20_260_801 })
  const swaps = tied.map((swap, n) => ({ ...swap, quoteDecimals: n % 19 }))
  await insertSwaps(db, swaps, { hasPrices: true })
  // A pool of which only an event is known.
  await db.query("insert into pool (pair_address, token_id) values ('silent', 1)")
  const pools = await db.query('select pair_address, last_quote_decimals as decimals from pool')
  const byPool = Map.groupBy(swaps, ({ pairAddress }) => pairAddress)
  t.true(byPool.size > 3)
  const newest = [...byPool].map(([pair, own]): [string, number | null] => [
    pair,
    own.toSorted(compareSwaps).at(-1)!.quoteDecimals,
  ])
  t.deepEqual(
    Object.fromEntries(pools.rows.map(({ pair_address, decimals }) => [pair_address, decimals])),
    Object.fromEntries([...newest, ['silent', null]]),
  )
  const { rows } = await db.query(
    `select token.address, newest.decimals
     from token
     cross join lateral mint_decimals(token.id) as newest`,
  )
  t.true(rows.length > 1)
  for (const { address, decimals } of rows) t.is(decimals, naiveDecimals(swaps, address))

  t.true(await isVerified(db))
  await db.query('update pool set last_quote_decimals = 18 - last_quote_decimals where id = 1')
  t.false(await isVerified(db))
})

async function isVerified(db: Db): Promise<boolean> {
  const { tables } = await verify(db, { log: recordingLog().log })
  return tables.find(({ name }) => name === 'pool')?.equal === true
}
