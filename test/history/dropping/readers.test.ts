/**
 * Every function of the room of stored swaps answers as if nothing had been dropped, or throws BeforeHistory: it never returns less. The
 * same random calls on a database that retains everything and on one that sealed random runs of slots and dropped the first.
 */
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { dropFirst } from '../../../history/dropping/drop.ts'
import { BeforeHistory } from '../../../history/sealed/find/stored.ts'
import { readSealed } from '../../../history/sealed/state.ts'
import { sealSlots } from '../../../history/sealing/seal.ts'
import { thawSlots } from '../../../history/sealing/thaw.ts'
import { type Connection, type Db, onConnection } from '../../../sql/db.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
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
const CALLS = 20
const LANE = 0
/** Functions whose answers are of the stored swaps only: for `verify`, and for gaps of the chain. */
const OF_STORED = ['countSwaps', 'listTimesAround']
/** Functions that look only at the newest swaps, of which none is dropped. */
const OF_NEWEST = ['readNewest', 'readNewestSlot', 'readTotals']

/** Seals all slots but the last ones, in runs, and moves some back. */
async function sealMost(connection: Connection, prng: Prng, slots: readonly number[]) {
  const distinct = [...new Set(slots)].sort((a, b) => a - b)
  for (let from = 0; from < distinct.length * 0.9; ) {
    const count = 1 + prng.below(120)
    const run = distinct.slice(from, from + count)
    if (prng.chance(0.9)) await sealSlots(connection, { low: run[0]!, high: run.at(-1)! }, 50)
    from += count
  }
  await connection.query('begin')
  const thawed = Array.from({ length: 40 }, () => slots[prng.below(slots.length)]!)
  await thawSlots(connection, LANE, thawed)
  await connection.query('commit')
}

/** Drops segments until a random part of all slots is gone. Returns how many swaps that were. */
async function dropSome(db: Db, prng: Prng, slots: readonly number[]): Promise<number> {
  const end = slots.toSorted((a, b) => a - b)[
    Math.floor((slots.length * (10 + prng.below(50))) / 100)
  ]!
  let swaps = 0
  for (;;) {
    const { segments } = await readSealed(db)
    if ((segments[0]?.lastSlot ?? end) >= end) return swaps
    const drop = await onConnection(db, (connection) =>
      dropFirst(connection, Number.MAX_SAFE_INTEGER),
    )
    if (drop.outcome !== 'dropped') throw new Error(`not dropped: ${JSON.stringify(drop)}`)
    swaps += drop.swaps
  }
}

/** The answer of a call, or that it is refused. */
async function answerOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return alike(await call())
  } catch (error) {
    if (error instanceof BeforeHistory) return 'refused'
    throw error
  }
}

test(`functions of stored swaps never answer less once swaps are dropped, seed ${SEED}`, async (t) => {
  const prng = new Prng([SEED, 131])
  const swaps = randomMarket(prng, SWAPS)
  const [plain, dropped] = await Promise.all([storedMarket(t, swaps), storedMarket(t, swaps)])
  const slots = swaps.map(({ slot }) => slot)
  await onConnection(dropped, (connection) => sealMost(connection, prng, slots))
  const count = await dropSome(dropped, prng, slots)
  const { since } = await readSealed(dropped)
  t.log(`${count} of ${swaps.length} swaps are dropped, before slot ${since?.slot}`)
  t.true(count > 0)
  t.true(count <= slots.filter((slot) => slot < since!.slot).length)
  t.true(swaps.every(({ slot, timestamp }) => slot >= since!.slot || timestamp < since!.ms))
  /** Beginnings of tokens and hours of wallets that follow from dropped swaps stay as they are. */
  const isSure = (row: string): boolean => {
    const { first_ms, hour_ms } = { ...JSON.parse(row) } as { first_ms?: number; hour_ms?: number }
    return (hour_ms ?? first_ms ?? since!.ms) >= since!.ms
  }
  const market = await marketOf(plain, swaps)
  const wrong: string[] = []
  let [answered, refused] = [0, 0]
  for (const [name, read] of Object.entries(READS)) {
    if (OF_STORED.includes(name)) continue
    for (let n = 0; n < CALLS; n++) {
      const call = read(prng, market)
      const found = await answerOf(() =>
        n % 2 === 0 && !call.isOnConnection ? call.run(dropped) : inTransaction(dropped, call.run),
      )
      if (found === 'refused') {
        refused += 1
        if (OF_NEWEST.includes(name)) wrong.push(`${name} refused`)
        continue
      }
      answered += 1
      const expected = alike(await inTransaction(plain, call.run))
      if (!isDeepStrictEqual(found, expected)) wrong.push(`${name} ${JSON.stringify(call.wanted)}`)
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
      const sure = async (connection: Connection) => (await written(connection)).filter(isSure)
      const found = await answerOf(() => inTransaction(dropped, sure))
      if (found === 'refused') continue
      const expected = alike(await inTransaction(plain, sure))
      if (!isDeepStrictEqual(found, expected)) wrong.push(`${name} ${JSON.stringify(call.wanted)}`)
    }
  }
  t.deepEqual(wrong, [])
  t.log(`${answered} calls answered, ${refused} refused`)
})
