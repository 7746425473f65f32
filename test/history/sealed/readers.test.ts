/**
 * Every function of the room of stored swaps answers alike, whatever part of the swaps is sealed: the same random calls on a
 * database that seals nothing and on one that sealed random runs of slots, thawed some, and stored late swaps afterwards.
 */
import test from 'ava'
import { sealSlots } from '../../../history/sealing/seal.ts'
import { thawSlots } from '../../../history/sealing/thaw.ts'
import { type Connection, onConnection } from '../../../sql/db.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { READS, WRITES } from '../../support/history/calls/room.ts'
import {
  alike,
  inTransaction,
  marketOf,
  storedMarket,
} from '../../support/history/calls/stored-market.ts'
import { randomMarket } from '../../support/market/random-market.ts'
import { freshSeed, requestedSeed } from '../../support/seed.ts'

const SEED = requestedSeed() ?? freshSeed()
const SWAPS = 1_500
const CALLS = 12
const LANE = 0

/** Runs of slots, each sealed or not. */
function* runsToSeal(prng: Prng, slots: readonly number[]) {
  const distinct = [...new Set(slots)].sort((a, b) => a - b)
  for (let from = 0; from < distinct.length; ) {
    const count = 1 + prng.below(120)
    const run = distinct.slice(from, from + count)
    if (prng.chance(0.6)) yield { low: run[0]!, high: run.at(-1)! }
    from += count
  }
}

test(`functions of stored swaps answer alike with sealed swaps, seed ${SEED}`, async (t) => {
  const prng = new Prng([SEED, 97])
  const swaps = randomMarket(prng, SWAPS)
  const [early, late] = [swaps.filter((_, n) => n % 20 !== 7), swaps.filter((_, n) => n % 20 === 7)]
  const [plain, sealed] = await Promise.all([storedMarket(t, early), storedMarket(t, early)])
  await onConnection(sealed, async (connection) => {
    const slots = early.map(({ slot }) => slot)
    let count = 0
    for (const run of runsToSeal(prng, slots)) {
      const sealing = await sealSlots(connection, run, 50)
      if (sealing.outcome === 'sealed') count += sealing.rows
    }
    t.log(`${count} of ${early.length} swaps are sealed`)
    t.true(count > 300)
    await connection.query('begin')
    await thawSlots(
      connection,
      LANE,
      Array.from({ length: 20 }, () => slots[prng.below(slots.length)]!),
    )
    await connection.query('commit')
  })
  for (const db of [plain, sealed]) await insertSwaps(db, late, { hasPrices: true })
  const market = await marketOf(plain, swaps)
  t.deepEqual((await marketOf(sealed, swaps)).pools, market.pools)
  for (const [name, read] of Object.entries(READS)) {
    for (let n = 0; n < CALLS; n++) {
      const call = read(prng, market)
      const [expected, found] = await Promise.all([
        inTransaction(plain, call.run),
        n % 2 === 0 && !call.isOnConnection ? call.run(sealed) : inTransaction(sealed, call.run),
      ])
      t.deepEqual(alike(found), alike(expected), `${name} ${JSON.stringify(call.wanted)}`)
    }
  }
  for (const [name, write] of Object.entries(WRITES)) {
    for (let n = 0; n < CALLS; n++) {
      const call = write(prng, market)
      const written = async (connection: Connection) => {
        const returned = await call.run(connection)
        const { rows } = await connection.query(
          `select row_to_json(t)::text as row from ${call.table} as t`,
        )
        return [JSON.stringify(returned ?? null), ...rows.map(({ row }) => row as string)]
      }
      const [expected, found] = await Promise.all([
        inTransaction(plain, written),
        inTransaction(sealed, written),
      ])
      t.deepEqual(alike(found), alike(expected), `${name} ${JSON.stringify(call.wanted)}`)
    }
  }
})
