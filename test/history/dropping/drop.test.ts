/** A drop removes the first segment and moves the bound at once, or changes nothing. */
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { dropFirst } from '../../../history/dropping/drop.ts'
import { ofSlots } from '../../../history/sealed/find/slots.ts'
import { BeforeHistory } from '../../../history/sealed/find/stored.ts'
import { readSealed } from '../../../history/sealed/state.ts'
import type { StoredSwap } from '../../../history/sealed/stored-swap.ts'
import { sealSlots } from '../../../history/sealing/seal.ts'
import { correctStarts } from '../../../history/swaps/slots.ts'
import { listPastDecimals } from '../../../history/swaps/tokens.ts'
import { type Connection, type Db, onConnection } from '../../../sql/db.ts'
import {
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

const SWAPS = 120
const LAST = Number.MAX_SAFE_INTEGER
/** No row of slot_span: every segment is old enough. */
const ANY_AGE = 1

const someSwaps = (): StoredSwap[] => fc.sample(manySwaps(SWAPS), { numRuns: 1, seed: 3 })[0]!

/** Two segments, and a late swap of the first. */
async function openHistory(t: ExecutionContext) {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await storeNames(db)
  const [late, ...swaps] = someSwaps().sort((a, b) => a.slot - b.slot)
  const middle = swaps[Math.floor(swaps.length / 2)]!.slot
  await storeSwaps(db, swaps)
  await onConnection(db, (connection) => sealSlots(connection, { low: 0, high: middle }))
  await onConnection(db, (connection) => sealSlots(connection, { low: middle + 1, high: LAST }))
  await storeSwaps(db, [late!])
  return { db, swaps: [late!, ...swaps], middle }
}

const drop = (db: Db) => onConnection(db, (connection) => dropFirst(connection, ANY_AGE))

async function countOf(db: Db, table: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`select count(*)::integer from ${table}`)
  return rows[0]!.count
}

async function stateOf(db: Db) {
  const tables = [
    'segment',
    'swap_block',
    'swap_posting',
    'swap_gone',
    'history_bound',
    'last_dropped_swap',
  ]
  const counts = await Promise.all(tables.map((table) => countOf(db, table)))
  const { version } = await readSealed(db)
  return { counts, version, hot: textsOf(await hotSwaps(db)), signatures: await signatureRows(db) }
}

async function kill(db: Db, connection: Connection): Promise<void> {
  const { processID } = connection as Connection & { processID: number }
  await db.query('select pg_terminate_backend($1, 10000)', [processID])
}

test('a drop that is killed at any statement changes nothing, and the next one drops', async (t) => {
  const { db, swaps, middle } = await openHistory(t)
  const before = await stateOf(db)
  let steps = 0
  for (let step = 1; ; step++) {
    const connection = await db.connect()
    let sent = 0
    const dying = stepping(connection, async () => {
      sent += 1
      if (sent === step) await kill(db, connection)
    })
    const isDone = await dropFirst(dying, ANY_AGE).then(
      () => true,
      () => false,
    )
    connection.release(true)
    if (isDone) break
    steps += 1
    t.deepEqual(await stateOf(db), before, `step ${step}`)
    t.deepEqual(textsOf([...(await hotSwaps(db)), ...(await sealedSwaps(db))]), textsOf(swaps))
  }
  t.true(steps > 8)
  const sealed = await readSealed(db)
  t.is(sealed.since?.slot, middle + 1)
  t.is(sealed.segments.length, 1)
  t.deepEqual(await hotSwaps(db), [])
  t.is(await signatureRows(db), 0)
  const retained = swaps.filter(({ slot }) => slot > middle)
  const stored = { low: middle + 1, high: LAST }
  t.deepEqual(textsOf(await ofSlots(db, sealed, [stored], { order: 'asc' })), textsOf(retained))
  await t.throwsAsync(ofSlots(db, sealed, [{ low: middle, high: LAST }], { order: 'asc' }), {
    instanceOf: BeforeHistory,
  })
})

test('a snapshot from before a drop reads all swaps until it ends', async (t) => {
  const { db, swaps } = await openHistory(t)
  await onConnection(db, async (old) => {
    await old.query('begin isolation level repeatable read')
    await old.query('select from segment')
    t.like(await drop(db), { outcome: 'dropped' })
    const slots = { low: 0, high: LAST }
    const sealed = await ofSlots(old, await readSealed(old), [slots], { order: 'asc' })
    const hot = await hotSwaps(old)
    t.deepEqual(textsOf([...hot, ...sealed]), textsOf(swaps))
    await old.query('rollback')
  })
})

test('a segment is not dropped while swaps of it are needed or are too young', async (t) => {
  const { db, middle } = await openHistory(t)
  await db.query('insert into slot_span values (0, 10000, $1, 5000, 6000)', [
    Math.floor(middle / 10_000) * 10_000,
  ])
  t.deepEqual(await onConnection(db, (connection) => dropFirst(connection, 6_000)), {
    outcome: 'nothing',
  })
  await db.query('delete from slot_span')
  const causes = {
    'insert into ledger_audit (lane) values (0)': 'ledger_audit',
    [`insert into position_refold values (1, 1, 0, ${middle})`]: 'ledger_recompute',
    [`insert into sandwich_due (first_slot, last_slot) values (${middle}, ${middle})`]:
      'sandwich_search',
  }
  for (const [statement, cause] of Object.entries(causes)) {
    await db.query(statement)
    t.like(await drop(db), { outcome: 'waits', wait: { cause } })
    await db.query('truncate ledger_audit, position_refold, sandwich_due')
  }
  t.like(await drop(db), { outcome: 'dropped', sinceSlot: middle + 1 })
  t.like(await drop(db), { outcome: 'dropped' })
  t.deepEqual(await drop(db), { outcome: 'nothing' })
  t.is((await readSealed(db)).lastSlot, (await readSealed(db)).since!.slot - 1)
})

test('once swaps are dropped, a mint without a swap has no beginning, and one with dropped swaps retains its own', async (t) => {
  const { db } = await openHistory(t)
  t.like(await drop(db), { outcome: 'dropped' })
  const id = 100
  await db.query(`
    insert into token (id, address) overriding system value values (${id}, 'retracted');
    insert into pool (id, pair_address, token_id) overriding system value values (${id}, 'retracted', ${id});
    insert into token_start (token_id, first_ms) values (${id}, 5), (1, 6)
  `)
  await correctStarts(db, [id, 1])
  const starts = await db.query('select token_id, first_ms from token_start')
  t.deepEqual(starts.rows, [{ token_id: 1, first_ms: 6 }])
  t.deepEqual(await listPastDecimals(db, [id], LAST), new Map())
})
