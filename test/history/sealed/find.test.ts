/** Finders of sealed swaps return what a filter of all sealed swaps returns, or name what is damaged. */
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { signatureHash } from '../../../domain/numbers/signature-hash.ts'
import { DamagedHistory, KINDS } from '../../../history/codec/envelope.ts'
import { ofPoolSlots, ofPools } from '../../../history/sealed/find/pools.ts'
import type { Direction } from '../../../history/sealed/find/postings.ts'
import type { Listing, Slots } from '../../../history/sealed/find/ranges.ts'
import { ofHashes, ofSignatures } from '../../../history/sealed/find/signatures.ts'
import { large, locateSlots, ofSlots } from '../../../history/sealed/find/slots.ts'
import { ofWallets } from '../../../history/sealed/find/wallets.ts'
import { readSealed, type Sealed } from '../../../history/sealed/state.ts'
import type { StoredSwap } from '../../../history/sealed/stored-swap.ts'
import { sealSlots } from '../../../history/sealing/seal.ts'
import { thaw } from '../../../history/sealing/thaw.ts'
import { LARGE_LAMPORTS } from '../../../history/swaps/lists.ts'
import { type Db, inTransaction, onConnection } from '../../../sql/db.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { oneOf } from '../../simulation/adversary.ts'
import {
  FIRST_SLOT,
  hotSwaps,
  manySwaps,
  storeNames,
  storeSwaps,
  textsOf,
} from '../../support/history/stored-history.ts'
import { requestedSeed } from '../../support/seed.ts'
import { testDatabase } from '../../support/servers/database.ts'

const seed = requestedSeed() ?? Date.now() % 1_000_000_000
const SWAPS = 3_000
const TRIES = 60
/** Two segments, slots that stay in the table, and a third one; gaps of many slots without a swap. */
const SEALED_RUNS = [
  [0, 9_999],
  [10_000, 21_999],
  [24_000, 39_000],
] as const
const isInGap = (offset: number) =>
  (offset > 3_000 && offset < 7_000) || (offset > 27_000 && offset < 36_500)

type History = {
  readonly db: Db
  readonly prng: Prng
  readonly state: Sealed
  readonly hot: readonly StoredSwap[]
  readonly sealed: readonly StoredSwap[]
}

/** A wallet has half of the swaps, slots have up to some tens, and some rows were moved back to the table. */
async function sealedHistory(t: ExecutionContext): Promise<History> {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const prng = new Prng([seed, 7])
  await storeNames(db)
  const [sampled] = fc.sample(manySwaps(SWAPS), { numRuns: 1, seed })
  const swaps = new Map<string, StoredSwap>()
  for (const swap of sampled!) {
    if (isInGap(swap.slot - FIRST_SLOT)) continue
    if (prng.chance(0.5)) swap.wallet_id = 1
    if (prng.chance(0.3)) swap.slot -= (swap.slot - FIRST_SLOT) % 500
    swaps.set(`${swap.slot} ${swap.signature} ${swap.pool_id} ${swap.ix_index}`, swap)
  }
  const stored = [...swaps.values()]
  await storeSwaps(db, stored)
  for (const [low, high] of SEALED_RUNS) {
    const slots = { low: FIRST_SLOT + low, high: FIRST_SLOT + high }
    await onConnection(db, (connection) => sealSlots(connection, slots, 40))
  }
  const moved = Array.from({ length: 80 }, () => {
    const { pool_id: poolId, slot } = oneOf(prng, stored)
    return { poolId, slot }
  })
  await inTransaction(db, (connection) => thaw(connection, 0, moved))
  const hot = await hotSwaps(db)
  const isHot = new Set(textsOf(hot))
  const sealed = stored.filter((swap) => !isHot.has(textsOf([swap])[0]!))
  t.true(sealed.length > SWAPS / 3)
  return { db, prng, hot, sealed, state: await readSealed(db) }
}

/** Any slots, some of them outside of history, in a gap or but one. */
function someSlots({ prng, sealed }: History): { low: number; high: number } {
  if (prng.chance(0.2)) return { low: 0, high: Number.MAX_SAFE_INTEGER }
  const [one, other] = [0, 1].map(() =>
    prng.chance(0.5) ? oneOf(prng, sealed).slot : FIRST_SLOT + prng.below(42_000),
  ) as [number, number]
  if (prng.chance(0.2)) return { low: one, high: one }
  return { low: Math.min(one, other), high: Math.max(one, other) }
}

function someListing({ prng }: History): Listing & { order: Direction } {
  const order = prng.chance(0.5) ? 'asc' : 'desc'
  if (prng.chance(0.3)) return { order }
  return { order, rows: prng.chance(0.2) ? prng.below(2_000) : 1 + prng.below(20) }
}

/** The first swaps of a list, in whole slots. */
function beginning(list: readonly StoredSwap[], { order, rows }: Listing): readonly StoredSwap[] {
  const sorted = list.toSorted((a, b) => (order === 'asc' ? a.slot - b.slot : b.slot - a.slot))
  if (rows === undefined || rows >= sorted.length) return sorted
  const last = sorted[rows - 1]?.slot
  return sorted.filter(({ slot }, index) => index < rows || slot === last)
}

/** `lists`: all swaps of each key. The found swaps begin each of them, are enough, and end with a slot. */
function expectFound(
  t: ExecutionContext,
  found: readonly StoredSwap[],
  lists: readonly (readonly StoredSwap[])[],
  listing: Listing,
): void {
  const texts = textsOf(found)
  const isFound = new Set(texts)
  t.is(isFound.size, texts.length, 'a swap was found twice')
  const isOfList = new Set(lists.flatMap((list) => textsOf(list)))
  t.deepEqual(
    texts.filter((text) => !isOfList.has(text)),
    [],
  )
  for (const list of lists) {
    const missing = (some: readonly StoredSwap[]) => textsOf(some).filter((x) => !isFound.has(x))
    t.deepEqual(missing(beginning(list, listing)), [])
    const slots = list.filter((swap) => isFound.has(textsOf([swap])[0]!)).map(({ slot }) => slot)
    const [least, greatest] = [Math.min(...slots), Math.max(...slots)]
    const isReached = (slot: number) => (listing.order === 'asc' ? slot <= greatest : slot >= least)
    t.deepEqual(missing(list.filter(({ slot }) => isReached(slot))), [])
  }
}

const within =
  ({ low, high }: Slots) =>
  ({ slot }: StoredSwap) =>
    slot >= low && slot <= high

test(`finders return what a filter of the sealed swaps of seed ${seed} returns`, async (t) => {
  const history = await sealedHistory(t)
  const { db, prng, sealed, state } = history
  const some = (most: number) =>
    Array.from({ length: 1 + prng.below(3) }, () => 1 + prng.below(most))
  for (let tries = 0; tries < TRIES; tries++) {
    const slots = someSlots(history)
    const listing = someListing(history)
    const own = sealed.filter(within(slots))
    const all = await ofSlots(db, state, [slots], listing)
    expectFound(t, all, [own], listing)
    const big = own.filter((swap) => swap.sol_amount >= LARGE_LAMPORTS)
    expectFound(t, await large(db, state, slots, listing), [big], listing)

    const pools = some(6)
    const ofEachPool = pools.map((id) => own.filter((swap) => swap.pool_id === id))
    expectFound(t, await ofPools(db, state, pools, slots, listing), ofEachPool, listing)
    const wanted = some(6).map((poolId) => ({ poolId, slots: someSlots(history) }))
    const ofEach = wanted.map((each) =>
      sealed.filter((swap) => swap.pool_id === each.poolId && within(each.slots)(swap)),
    )
    const ofRuns = await ofPoolSlots(db, state, wanted, listing)
    const isWhole = listing.rows === undefined
    if (isWhole) expectFound(t, ofRuns, ofEach, listing)
    const isFound = new Set(textsOf(ofRuns))
    for (const list of ofEach) {
      t.true(textsOf(beginning(list, listing)).every((text) => isFound.has(text)))
    }

    const wallets = some(7)
    const poolIds = prng.chance(0.5) ? null : pools
    const ofEachWallet = wallets.map((id) =>
      own.filter((swap) => swap.wallet_id === id && (poolIds?.includes(swap.pool_id) ?? true)),
    )
    const ofOwners = await ofWallets(db, state, wallets, slots, { ...listing, poolIds })
    expectFound(t, ofOwners, ofEachWallet, listing)
  }
})

test('signatures are found in all segments, and those of the table are not', async (t) => {
  const { db, prng, hot, sealed, state } = await sealedHistory(t)
  const signatures = Array.from({ length: 50 }, () =>
    prng.chance(0.8) ? oneOf(prng, sealed).signature : oneOf(prng, hot).signature,
  )
  const wanted = new Set(signatures)
  const expected = textsOf(sealed.filter(({ signature }) => wanted.has(signature)))
  t.deepEqual(textsOf(await ofSignatures(db, state, signatures)), expected)
  t.deepEqual(textsOf(await ofHashes(db, state, signatures.map(signatureHash))), expected)
  for (const signature of signatures.slice(0, 5)) {
    const own = textsOf(sealed.filter((swap) => swap.signature === signature))
    t.deepEqual(textsOf(await ofSignatures(db, state, [signature])), own)
  }
  t.deepEqual(await ofSignatures(db, state, []), [])
  const located = await locateSlots(db, state, [{ low: 0, high: Number.MAX_SAFE_INTEGER }])
  t.deepEqual(textsOf(located.map(({ swap }) => swap)), textsOf(sealed))
  const positions = located.map(({ segmentId, rowNumber }) => `${segmentId} ${rowNumber}`)
  t.is(new Set(positions).size, sealed.length)
})

test('a damaged or lost block or posting is named, and no shorter answer returned', async (t) => {
  const { db, sealed, state } = await sealedHistory(t)
  const [first] = state.segments
  const slots = { low: 0, high: Number.MAX_SAFE_INTEGER }
  const listing = { order: 'asc' } as const
  const reads = {
    order: () => ofSlots(db, state, [slots], listing),
    large: () => large(db, state, slots, listing),
    pool: () => ofPools(db, state, [1, 2, 3, 4, 5], slots, listing),
    wallet: () => ofWallets(db, state, [1, 2, 3, 4, 5, 6], slots, listing),
    heavy_wallet: () => ofWallets(db, state, [1], slots, listing),
    signature: () =>
      ofSignatures(
        db,
        state,
        sealed.map(({ signature }) => signature),
      ),
  }
  const expectNamed = async (change: string, name: RegExp, run: () => Promise<unknown>) => {
    await run()
    const connection = await db.connect()
    await connection.query('begin')
    await connection.query('create table was as table swap_block')
    await connection.query('create table posted as table swap_posting')
    await connection.query('commit')
    connection.release()
    await db.query(change)
    await t.throwsAsync(run(), { instanceOf: DamagedHistory, message: name }, change)
    await db.query(`truncate swap_block, swap_posting;
      insert into swap_block table was; insert into swap_posting table posted;
      drop table was; drop table posted`)
  }
  const flipped = 'set_byte(bytes, length(bytes) - 3, get_byte(bytes, length(bytes) - 3) # 16)'
  for (const [kind, run] of Object.entries(reads)) {
    const number = KINDS[kind as keyof typeof KINDS]
    await expectNamed(
      `update swap_posting set bytes = ${flipped} where segment_id = ${first!.id} and kind = ${number}`,
      new RegExp(`segment ${first!.id}`),
      run,
    )
    await expectNamed(
      `update swap_block set bytes = ${flipped} where segment_id = ${first!.id}`,
      new RegExp(`segment ${first!.id}`),
      run,
    )
    await expectNamed(
      `delete from swap_block where segment_id = ${first!.id} and first_row > 0`,
      /no block has this row/,
      run,
    )
  }
  await expectNamed(
    `delete from swap_posting where kind = ${KINDS.heavy_wallet}`,
    /this part is lost/,
    reads.heavy_wallet,
  )
})
