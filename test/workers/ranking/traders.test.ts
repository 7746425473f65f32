/** Sets of traders: exact while they are few, the same in any order, near enough beyond. */
import test from 'ava'
import {
  addTrade,
  emptyBucket,
  estimateDistinct,
  mixedWallet,
  TRADERS_EXACT,
  trimSketch,
} from '../../../workers/ranking/traders.ts'
import { testDatabase } from '../../support/servers/database.ts'

const bucketOf = (ids: Iterable<number>) => {
  const bucket = emptyBucket(1, 0, false)
  for (const id of ids) addTrade(bucket, true, mixedWallet(id))
  return bucket
}

test('distinct wallets stay distinct, and the database mixes them alike', async (t) => {
  const ids = [1, 2, 3, 255, 65_535, 65_536, 123_456_789, 2 ** 31 - 1]
  for (let id = 1_000; id < 200_000; id += 7) ids.push(id)
  t.is(new Set(ids.map(mixedWallet)).size, ids.length)
  const database = await testDatabase()
  t.teardown(() => database.drop())
  const { rows } = await database.db.query<{ mixed: number }>(
    'select mixed_wallet(id) as mixed from unnest($1::integer[]) with ordinality as given (id, n) order by n',
    [ids],
  )
  t.deepEqual(
    rows.map(({ mixed }) => mixed),
    ids.map(mixedWallet),
  )
})

test('as many as a set holds are counted exactly', (t) => {
  const { buyers } = bucketOf(Array.from({ length: TRADERS_EXACT }, (_, index) => index + 1))
  t.is(trimSketch(buyers).length, TRADERS_EXACT)
  t.is(buyers.below, undefined)
  t.is(estimateDistinct(buyers.wallets.size, buyers.below), TRADERS_EXACT)
})

test('beyond that a set is the same however it was filled, and estimates within 4 standard errors', (t) => {
  for (const count of [1_025, 5_000, 60_000]) {
    const ids = Array.from({ length: count }, (_, index) => index + 1)
    const once = bucketOf(ids)
    const stored = trimSketch(once.buyers)
    const often = emptyBucket(1, 0, false)
    for (const id of ids.toReversed()) {
      addTrade(often, true, mixedWallet(id))
      if (id % 500 === 0) trimSketch(often.buyers)
    }
    t.deepEqual(trimSketch(often.buyers), stored)
    t.is(often.buyers.below, once.buyers.below)
    const error = estimateDistinct(stored.length, once.buyers.below) / count - 1
    t.true(Math.abs(error) < 4 / Math.sqrt(TRADERS_EXACT - 1), `${count}: ${error}`)
  }
})
