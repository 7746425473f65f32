/** The first pool of a mint and its creator in any order of arrival, against a naive second computation. */
import test from 'ava'
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import { compareChainPositions, compareSwaps, type Swap } from '../../../domain/events/swap.ts'
import type { DexId } from '../../../domain/venue.ts'
import type { Db } from '../../../sql/db.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { insertEvents, insertSwaps } from '../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'
import { requestedSeed } from '../../support/seed.ts'
import { testDatabase } from '../../support/servers/database.ts'

const FIRST_MS = Date.UTC(2026, 6, 1)
const MINTS = 150
const POOLS_A_MINT = 3
const CREATORS = 6
const BATCHES = 5
/** 54,000 slots are a chunk. */
const SLOTS = [100, 101, 54_100]

type Reported = { swap: Swap } | { created: PoolEvent }

/** Up to seven events of a mint at few positions, so that ties of every kind are common. */
function historyOf(prng: Prng, token: number): Reported[] {
  return Array.from({ length: prng.below(8) }, (_, n): Reported => {
    const slot = SLOTS[prng.below(SLOTS.length)]!
    const fields = {
      // Now and then two events of a transaction.
      signature: signatureOf(token * 100 + (prng.chance(0.2) ? 0 : n)),
      tokenAddress: mint(token),
      pairAddress: pair(token * POOLS_A_MINT + prng.below(POOLS_A_MINT)),
      dex: (1 + prng.below(3)) as DexId,
      slot,
      blockTxIndex: prng.below(2),
      ixIndex: prng.below(2),
      timestamp: FIRST_MS + slot * 400,
    }
    if (prng.chance(0.6)) {
      return { swap: sampleSwap({ ...fields, isBuy: prng.chance(0.5), user: trader(n) }) }
    }
    const creator = prng.chance(0.2) ? {} : { creator: trader(prng.below(CREATORS)) }
    return { created: { ...fields, event: 'created', ...creator } }
  })
}

function shuffled<Value>(prng: Prng, values: readonly Value[]): Value[] {
  return values
    .map((value) => ({ value, at: prng.below(1_000_000) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value)
}

type Birth = { pair: string; creator: string | null; slot: number | null }

/** By sorting all events of a mint. */
function naiveBirth(reported: readonly Reported[]): Birth | undefined {
  const swaps = reported.flatMap((each) => ('swap' in each ? [each.swap] : [])).sort(compareSwaps)
  const created = reported.flatMap((each) => ('created' in each ? [each.created] : []))
  created.sort(
    (a, b) =>
      compareChainPositions(a, b) ||
      a.dex - b.dex ||
      (a.signature === b.signature ? 0 : a.signature < b.signature ? -1 : 1) ||
      (a.pairAddress < b.pairAddress ? -1 : 1),
  )
  const [[swap], [making]] = [swaps, created]
  const first = !swap || (making && compareChainPositions(making, swap) <= 0) ? making : swap
  if (first === undefined) return undefined
  const own = created.find(({ pairAddress }) => pairAddress === first.pairAddress)
  return { pair: first.pairAddress, creator: own?.creator ?? null, slot: own?.slot ?? null }
}

async function readBirths(db: Db): Promise<Map<string, Birth>> {
  const { rows } = await db.query(
    `select address, birth.pair_address as pair, birth.creator, birth.slot
     from token cross join lateral token_birth(token.id) as birth`,
  )
  return new Map(rows.map(({ address, ...birth }) => [address, birth]))
}

async function readCreated(db: Db, creator: string): Promise<string[]> {
  const { rows } = await db.query(
    'select address from created_tokens($1) as made join token on token.id = made order by address',
    [creator],
  )
  return rows.map(({ address }) => address)
}

test('the first pool is that of the earliest event in any order of arrival', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const seed = requestedSeed() ?? Date.now() % 1_000_000_000
  const prng = new Prng([seed])
  const all = Array.from({ length: MINTS }, (_, token) => historyOf(prng, token)).flat()
  const order = shuffled(prng, distinct(all))
  const came: Reported[] = []
  for (let batch = 0; batch < BATCHES; batch++) {
    const size = Math.ceil(order.length / BATCHES)
    const news = order.slice(batch * size, (batch + 1) * size)
    await insertSwaps(
      db,
      news.flatMap((each) => ('swap' in each ? [each.swap] : [])),
    )
    await insertEvents(
      db,
      news.flatMap((each) => ('created' in each ? [each.created] : [])),
    )
    came.push(...news)
    const expected = new Map<string, Birth>()
    for (const [address, reported] of Map.groupBy(came, mintOf)) {
      expected.set(address, naiveBirth(reported)!)
    }
    const births = await readBirths(db)
    t.is(births.size, expected.size)
    for (const [address, birth] of expected) {
      t.deepEqual(births.get(address), birth, `${address}: SIMULATION_SEED=${seed}`)
    }
    for (let n = 0; n < CREATORS; n++) {
      const made = [...expected].filter(([, { creator }]) => creator === trader(n))
      t.deepEqual(await readCreated(db, trader(n)), made.map(([address]) => address).sort())
    }
  }
})

const mintOf = (reported: Reported): string =>
  'swap' in reported ? reported.swap.tokenAddress : reported.created.tokenAddress

/** The first of events that are the same to the tables: drawn alike they would be refused or passed over. */
function distinct(all: readonly Reported[]): Reported[] {
  const byKey = new Map<string, Reported>()
  for (const reported of all) {
    const { signature, pairAddress, ixIndex } =
      'swap' in reported ? reported.swap : reported.created
    const kind =
      'swap' in reported ? `${reported.swap.user} ${reported.swap.isBuy} ${reported.swap.dex}` : ''
    const key = `${signature} ${pairAddress} ${ixIndex} ${kind}`
    if (!byKey.has(key)) byKey.set(key, reported)
  }
  return [...byKey.values()]
}
