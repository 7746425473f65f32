/** Pages of all lists are the same after some of their swaps were sealed. */
import test from 'ava'
import { compareSwaps, type Swap } from '../../../domain/events/swap.ts'
import { sealSlots } from '../../../history/sealing/seal.ts'
import {
  LARGE_LAMPORTS,
  listSwaps,
  type SwapList,
  type SwapPosition,
} from '../../../history/swaps/lists.ts'
import type { Order } from '../../../history/swaps/served-swap.ts'
import { swapsOfTransaction } from '../../../history/swaps/signatures.ts'
import { onConnection } from '../../../sql/db.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { adversarialEvents, oneOf } from '../../simulation/adversary.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { requestedSeed } from '../../support/seed.ts'
import { testDatabase } from '../../support/servers/database.ts'

const seed = requestedSeed() ?? Date.now() % 1_000_000_000
/** No search ends by time: what a machine manages within some is another question. */
const SEARCH_MS = 3_600_000
const PAGES = 400

type Owner = { pool_id: number; wallet_id: number }

test(`pages of lists over swaps of seed ${seed} are the same when they are sealed`, async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const prng = new Prng([seed, 5])
  const stored = swapsOf(prng)
  await insertSwaps(db, stored)
  const { rows: owners } = await db.query<Owner>('select pool_id, wallet_id from swap')
  const pages = Array.from({ length: PAGES }, () => pageOf(prng, stored, owners))
  const signatures = Array.from({ length: 40 }, () => oneOf(prng, stored).signature)
  const read = async () => {
    const answers: string[] = []
    for (const { list, wanted } of pages) {
      const rows = await listSwaps(db, list, wanted)
      const page = rows.map((row) => JSON.stringify(row, asText)).sort()
      answers.push(`${JSON.stringify({ list, wanted }, asText)}\n${page.join('\n')}`)
    }
    for (const signature of signatures) {
      const rows = await swapsOfTransaction(db, signature)
      answers.push([signature, ...rows.map((row) => JSON.stringify(row, asText)).sort()].join('\n'))
    }
    return answers
  }
  const before = await read()
  const cuts = [0.2, 0.5, 0.8].map((share) => stored[Math.floor(share * stored.length)]!.slot)
  for (const [index, high] of cuts.entries()) {
    const low = (cuts[index - 1] ?? -1) + 1
    await onConnection(db, (connection) => sealSlots(connection, { low, high }))
  }
  const after = await read()
  const different = before.flatMap((answer, index) =>
    answer === after[index] ? [] : [`${answer}\n-- sealed:\n${after[index]}`],
  )
  t.deepEqual(different.slice(0, 1), [], `${different.length} differ: SIMULATION_SEED=${seed}`)
})

const asText = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value

/** Swaps with ties of every kind, in canonical order. */
function swapsOf(prng: Prng): Swap[] {
  const swaps = new Map<string, Swap>()
  for (const event of adversarialEvents({ prng, run: seed % 1_000_000 }, 900)) {
    if (event.kind !== 'swap') continue
    const { signature, pairAddress, ixIndex } = event.swap
    swaps.set(`${signature} ${pairAddress} ${ixIndex}`, event.swap)
  }
  return [...swaps.values()].sort(compareSwaps)
}

function listOf(prng: Prng, owners: readonly Owner[]): SwapList {
  const { pool_id: poolId, wallet_id: walletId } = oneOf(prng, owners)
  const poolIds = [...new Set([poolId, oneOf(prng, owners).pool_id])]
  switch (prng.below(4)) {
    case 0:
      return { by: 'all' }
    case 1:
      return { by: 'large' }
    case 2:
      return { by: 'wallet', walletId, poolIds: prng.chance(0.5) ? null : poolIds }
    default:
      return { by: 'pools', poolIds: prng.chance(0.5) ? poolIds : [poolId] }
  }
}

function pageOf(prng: Prng, stored: readonly Swap[], owners: readonly Owner[]) {
  const order: Order = prng.chance(0.5) ? 'asc' : 'desc'
  const [one, other, at] = [oneOf(prng, stored), oneOf(prng, stored), oneOf(prng, stored)]
  const ends: SwapPosition = order === 'asc' ? [-1, -1, -1, -1] : [2 ** 53 - 1, 0, 0, 0]
  const between: SwapPosition = [at.slot, at.blockTxIndex, at.ixIndex, at.dex]
  const list = listOf(prng, owners)
  const low = Math.min(one.slot, other.slot)
  const high = Math.max(one.slot, other.slot)
  return {
    list,
    wanted: {
      order,
      after: prng.chance(0.3) ? ends : between,
      slots: prng.chance(0.3) ? { low: 0, high: 2 ** 53 - 1 } : { low, high },
      rows: 1 + prng.below(12),
      traits: {
        dex: prng.chance(0.2) ? oneOf(prng, stored).dex : undefined,
        is_buy: prng.chance(0.3) ? prng.chance(0.5) : undefined,
        min_sol: list.by === 'large' ? LARGE_LAMPORTS : prng.chance(0.2) ? 10n ** 9n : undefined,
        from: prng.chance(0.2) ? oneOf(prng, stored).timestamp : undefined,
        to: prng.chance(0.2) ? oneOf(prng, stored).timestamp : undefined,
      },
      searchMs: SEARCH_MS,
    },
  }
}
