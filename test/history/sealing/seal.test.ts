/** A seal moves swaps from the table to blocks, each bit as it was, or changes nothing. */
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { readSealed } from '../../../history/sealed/state.ts'
import type { StoredSwap } from '../../../history/sealed/stored-swap.ts'
import { type Sealing, sealSlots } from '../../../history/sealing/seal.ts'
import { verifyHistory } from '../../../history/sealing/verify-history.ts'
import { type Connection, type Db, onConnection } from '../../../sql/db.ts'
import { signature } from '../../support/history/row-cases.ts'
import {
  ALL_SLOTS,
  hotSwaps,
  manySwaps,
  sealedSwaps,
  signatureRows,
  stepping,
  storeNames,
  storeSwaps,
  textsOf,
} from '../../support/history/stored-history.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { until } from '../../support/workers/pipeline.ts'

async function openHistory(t: ExecutionContext): Promise<Db> {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await storeNames(db)
  return db
}

const seal = (db: Db, slots = ALL_SLOTS, partRows?: number) =>
  onConnection(db, (connection) => sealSlots(connection, slots, partRows))

/** Errors that the verification of all segments reports. */
function damageOf(db: Db): Promise<string[]> {
  return onConnection(db, async (connection) => {
    const found: string[] = []
    const { signal } = new AbortController()
    for await (const { damage } of verifyHistory(connection, signal)) found.push(...damage)
    return found
  })
}

type At = readonly [statement: RegExp, run: () => Promise<unknown>]

/** Seals, and runs something before or after statements of the transaction. */
function sealWith(db: Db, { before, after }: { before?: At; after?: At }): Promise<Sealing> {
  const at = (step: At | undefined) => async (statement: string) => {
    if (step?.[0].test(statement)) await step[1]()
  }
  return onConnection(db, (connection) =>
    sealSlots(stepping(connection, at(before), at(after)), ALL_SLOTS),
  )
}

/** A statement of each try once its snapshot is taken. */
const SNAPSHOT = /nextval/

async function countOf(db: Db, table: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`select count(*)::integer from ${table}`)
  return rows[0]!.count
}

/** How many statements a seal sends. */
async function statementsOf(db: Db): Promise<number> {
  let sent = 0
  const count = async () => {
    sent += 1
  }
  await onConnection(db, (connection) => sealSlots(stepping(connection, count), ALL_SLOTS))
  return sent
}

async function kill(db: Db, connection: Connection): Promise<void> {
  const { processID } = connection as Connection & { processID: number }
  await db.query('select pg_terminate_backend($1, 10000)', [processID])
}

/** Resolves when a session waits for a lock. */
async function untilWaiting(db: Db): Promise<void> {
  await until('a session waits for a lock', 60_000, async () => {
    const { rowCount } = await db.query('select from pg_locks where not granted')
    return rowCount! > 0
  })
}

const EMPTY =
  'truncate swap, swap_signature, segment, swap_block, swap_posting, swap_gone, history_version'

test('random swaps are read from a segment as they were stored', async (t) => {
  const db = await openHistory(t)
  const check = async ([swaps, partRows]: [StoredSwap[], number]): Promise<void> => {
    await db.query(EMPTY)
    await storeSwaps(db, swaps)
    const stored = textsOf(await hotSwaps(db))
    t.deepEqual(stored, textsOf(swaps))
    const sealing = await seal(db, ALL_SLOTS, partRows)
    t.like(sealing, { outcome: 'sealed', rows: swaps.length })
    t.deepEqual(textsOf(await sealedSwaps(db)), stored)
    t.deepEqual(await hotSwaps(db), [])
    t.is(await signatureRows(db), 0)
    t.deepEqual(await damageOf(db), [])
    t.deepEqual(await seal(db, { low: 0, high: 1 }), { outcome: 'nothing' })
  }
  const swaps = fc.integer({ min: 1, max: 400 }).chain(manySwaps)
  const partRows = fc.constantFrom(1, 3, 40, 100_000)
  await fc.assert(fc.asyncProperty(fc.tuple(swaps, partRows), check), { numRuns: 15 })
})

/** Any swaps that are the same in each run. */
const someSwaps = (count: number, seed = 1): StoredSwap[] =>
  fc.sample(manySwaps(count), { numRuns: 1, seed })[0]!

/** Every swap is stored once, hot or sealed, with the signatures of the hot ones. */
async function expectAll(t: ExecutionContext, db: Db, swaps: readonly StoredSwap[]): Promise<void> {
  t.deepEqual(textsOf([...(await hotSwaps(db)), ...(await sealedSwaps(db))]), textsOf(swaps))
}

test('rows that functions of the database read, and texts that are no base58, stay in the table', async (t) => {
  const db = await openHistory(t)
  const swaps = someSwaps(300)
  const [tied, other, minute, second, foreign] = swaps as [StoredSwap, ...StoredSwap[]]
  Object.assign(other!, { slot: tied.slot, pool_id: 1 })
  Object.assign(tied, { pool_id: 3 })
  Object.assign(minute!, { pool_id: 2 })
  Object.assign(second!, { pool_id: 4, slot: minute!.slot, timestamp_ms: minute!.timestamp_ms })
  Object.assign(foreign!, { signature: 'no base58: 0OIl' })
  await storeSwaps(db, swaps)
  await db.query('update pool set first_slot = $1 where id in (1, 3)', [tied.slot])
  await db.query(
    `insert into candle_1m (pool_id, trade_count, bucket_ms, first_slot, last_slot, volume_lamports)
     values (2, 1, $1, $2, $2, 0), (4, 1, $1, $2, $2, 0)`,
    [minute!.timestamp_ms - (minute!.timestamp_ms % 60_000), minute!.slot],
  )
  t.like(await seal(db), { outcome: 'sealed' })
  const hot = textsOf(await hotSwaps(db))
  const isHot = ({ slot, pool_id: pool, signature }: StoredSwap) =>
    (slot === tied.slot && [1, 3].includes(pool)) ||
    (slot === minute!.slot && [2, 4].includes(pool)) ||
    signature === foreign!.signature
  t.deepEqual(hot, textsOf(swaps.filter(isHot)))
  await expectAll(t, db, swaps)
  t.is((await db.query('select from swap_signature')).rowCount, new Set(hot).size)
})

test('a signature that stays is not shadowed by one that was sealed', async (t) => {
  const db = await openHistory(t)
  const [swap] = someSwaps(1)
  const at = (slot: number): StoredSwap => ({ ...swap!, slot })
  await storeSwaps(db, [at(1_000), at(2_000), at(3_000)])
  await seal(db, { low: 0, high: 1_500 })
  const { rows } = await db.query<{ slot: number; copy: number }>(
    'select slot, copy from swap_signature order by slot',
  )
  t.deepEqual(rows, [
    { slot: 2_000, copy: 0 },
    { slot: 3_000, copy: 2 },
  ])
})

test('rows that arrive during a seal stay in the table', async (t) => {
  const db = await openHistory(t)
  const swaps = someSwaps(200)
  const late = { ...swaps[0]!, signature: encodeBase58(signature(9_999)) }
  await storeSwaps(db, swaps)
  const sealing = await sealWith(db, { before: [SNAPSHOT, () => storeSwaps(db, [late])] })
  t.like(sealing, { outcome: 'sealed', rows: swaps.length })
  t.like(sealing, { outcome: 'sealed', rows: swaps.length })
  t.deepEqual(textsOf(await hotSwaps(db)), textsOf([late]))
  await expectAll(t, db, [...swaps, late])
})

test('a change of a row during a seal restarts it', async (t) => {
  const db = await openHistory(t)
  const swaps = someSwaps(200)
  await storeSwaps(db, swaps)
  const { slot } = swaps[0]!
  let tries = 0
  const change = async () => {
    tries += 1
    if (tries === 1) await db.query('update swap set price_impact_bps = 77 where slot = $1', [slot])
  }
  t.like(await sealWith(db, { before: [SNAPSHOT, change] }), { outcome: 'sealed' })
  t.is(tries, 2)
  const changed = (swap: StoredSwap) =>
    swap.slot === slot ? { ...swap, price_impact_bps: 77 } : swap
  t.deepEqual(textsOf(await sealedSwaps(db)), textsOf(swaps.map(changed)))
})

test('a delete during a seal restarts it, and the deleted row is not sealed', async (t) => {
  const db = await openHistory(t)
  const swaps = someSwaps(200)
  await storeSwaps(db, swaps)
  const [gone] = swaps
  let tries = 0
  const remove = async () => {
    tries += 1
    await db.query('delete from swap where slot = $1', [gone!.slot])
  }
  await sealWith(db, { before: [SNAPSHOT, remove] })
  t.is(tries, 2)
  await expectAll(
    t,
    db,
    swaps.filter(({ slot }) => slot !== gone!.slot),
  )
})

test('a seal gives way to a session that waits for one of its rows', async (t) => {
  const db = await openHistory(t)
  const swaps = someSwaps(200)
  await storeSwaps(db, swaps)
  let waiting: Promise<unknown> | undefined
  const wait = async () => {
    waiting = db.query('delete from swap_signature')
    await untilWaiting(db)
  }
  const sealing = await sealWith(db, { after: [/delete from swap_signature/, wait] })
  t.like(sealing, {
    outcome: 'waits',
    wait: {
      cause: 'waiting_session',
      reason: 'another session waits for rows that are being sealed',
    },
  })
  await waiting
  t.deepEqual(textsOf(await hotSwaps(db)), textsOf(swaps))
  t.is(await countOf(db, 'swap_block'), 0)
})

test('an older snapshot reads the rows as they were until it ends', async (t) => {
  const db = await openHistory(t)
  const swaps = someSwaps(200)
  await storeSwaps(db, swaps)
  const reader = await db.connect()
  t.teardown(() => reader.release())
  await reader.query('begin isolation level repeatable read')
  await reader.query('select from pool')
  await seal(db)
  t.deepEqual(textsOf(await hotSwaps(reader)), textsOf(swaps))
  t.deepEqual((await readSealed(reader)).segments, [])
  await reader.query('commit')
  t.deepEqual(await hotSwaps(reader), [])
  t.deepEqual(textsOf(await sealedSwaps(reader)), textsOf(swaps))
})

test('a connection that is lost at any step leaves everything as it was', async (t) => {
  const db = await openHistory(t)
  const swaps = someSwaps(100)
  await storeSwaps(db, swaps)
  const steps = await statementsOf(db)
  t.true(steps > 10)
  await db.query(EMPTY)
  await storeSwaps(db, swaps)
  const signatures = await signatureRows(db)
  for (let step = 1; step <= steps; step++) {
    const connection = await db.connect()
    let sent = 0
    const dying = stepping(connection, async () => {
      sent += 1
      if (sent === step) await kill(db, connection)
    })
    await t.throwsAsync(sealSlots(dying, ALL_SLOTS), undefined, `step ${step}`)
    connection.release(true)
    t.deepEqual(textsOf(await hotSwaps(db)), textsOf(swaps))
    t.is(await signatureRows(db), signatures)
    for (const table of ['segment', 'swap_block', 'swap_posting', 'history_version']) {
      t.is(await countOf(db, table), 0, `${table} after step ${step}`)
    }
  }
  t.like(await seal(db), { rows: swaps.length })
})

test('slots of a segment are not sealed twice, and two seals of the same slots make one segment', async (t) => {
  const db = await openHistory(t)
  const swaps = someSwaps(200)
  await storeSwaps(db, swaps)
  const both = await Promise.allSettled([seal(db), seal(db)])
  t.is(both.filter(({ status }) => status === 'fulfilled').length >= 1, true)
  t.is(await countOf(db, 'segment'), 1)
  await expectAll(t, db, swaps)
  await storeSwaps(db, [{ ...swaps[0]!, slot: swaps[0]!.slot + 1 }])
  await t.throwsAsync(seal(db), { message: /overlap segment/ })
})
