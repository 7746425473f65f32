// Lists with few matches: pages end early instead of exceeding the deadline, and walking them to the end gives exactly
// the matches.

import test from 'ava'
import { type Api, startApi } from '../../../../api/main.ts'
import type { PoolEvent } from '../../../../domain/events/pool-event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { query } from '../../../../sql/query.ts'
import { apiForFile, SILENT } from '../../../support/api/api-under-test.ts'
import { insertEvents, insertSwaps } from '../../../support/api/insert-swaps.ts'
import { planAsRun } from '../../../support/api/plan.ts'
import { type Get, getter, walkPages } from '../../../support/api/walked-pages.ts'
import {
  mint,
  mintOfPair,
  pair,
  sampleSwap,
  signatureOf,
  trader,
} from '../../../support/market/sample-swap.ts'
import { asker } from '../../graphql/send-query.ts'

/** The inserted rows are copied so often, each time after the last. */
const COPIES = 300
const SWAPS = 800
const EVENTS = 200
const SLOTS = 5_000
const FIRST_MS = Date.UTC(2026, 6, 1)
const SLOT_MS = 400
/** The one that fits. */
const RARE = 505_000
const RARE_DEX = 9
const RARE_SIGNATURE = signatureOf(1_000_000)
const LAST_MS = FIRST_MS + COPIES * SLOTS * SLOT_MS

/** Some milliseconds of looking, in 240,000 swaps and 60,000 events. */
const under = apiForFile({ walkMs: 12 })
let get: Get
/** Without time to search for matches: its pages end early on any machine. */
let hasty: Api
let getHasty: Get

const common = Array.from({ length: SWAPS }, (_, n): Swap => {
  const slot = Math.floor((n * SLOTS) / SWAPS)
  return sampleSwap({
    signature: signatureOf(n),
    slot,
    timestamp: FIRST_MS + slot * SLOT_MS,
    pairAddress: pair(n % 5),
    tokenAddress: mintOfPair(n % 5),
    user: trader(n % 3),
    isBuy: false,
    dex: n % 2 === 0 ? 1 : 2,
    solAmount: n % 4 === 0 ? 60_000_000_000 : 1_000_000_000,
  })
})
const rare = sampleSwap({
  signature: RARE_SIGNATURE,
  slot: RARE,
  timestamp: FIRST_MS + RARE * SLOT_MS,
  pairAddress: pair(1),
  tokenAddress: mintOfPair(1),
  user: trader(1),
  isBuy: true,
  dex: RARE_DEX,
  solAmount: 9_000_000_000_000,
})
const eventAt = (n: number, slot: number, event: PoolEvent['event']): PoolEvent => ({
  event,
  signature: signatureOf(n),
  slot,
  timestamp: FIRST_MS + slot * SLOT_MS,
  pairAddress: pair(n % 5),
  tokenAddress: mintOfPair(n % 5),
  dex: 2,
  blockTxIndex: 0,
  ixIndex: 0,
})

/** Every row again, by the columns of its position. */
async function copyRows(table: string, changed: Readonly<Record<string, string>>): Promise<void> {
  const { rows } = await under().db.query(
    'select column_name as name from information_schema.columns where table_name = $1',
    [table],
  )
  const names = rows.map(({ name }) => name as string)
  const values = names.map((name) => changed[name] ?? `original.${name}`)
  await under().db.query(
    `insert into ${table} (${names}) select ${values} from ${table} as original
     cross join generate_series(1, ${COPIES - 1}) as copy`,
  )
}

test.serial.before(async () => {
  const { db, databaseUrl, api } = under()
  hasty = await startApi({ databaseUrl, port: 0, log: SILENT, walkMs: 0 })
  get = await getter(db, api.url)
  getHasty = await getter(db, hasty.url)
  await insertSwaps(db, common)
  const slot = `original.slot + copy * ${SLOTS}`
  const timestamp_ms = `original.timestamp_ms + copy::bigint * ${SLOTS * SLOT_MS}`
  await copyRows('swap', { slot, timestamp_ms })
  await db.query('delete from slot_span')
  await db.query(
    `insert into slot_span (lane, width, bucket, first_ms, last_ms)
     select 0, width, slot / width * width, min(timestamp_ms), max(timestamp_ms)
     from swap cross join unnest(array[100, 10000]) as width group by 2, 3`,
  )
  await db.query('delete from venue_volume')
  await db.query(
    `insert into venue_volume (lane, width, bucket_ms, dex, trade_count, volume_lamports)
     select 0, 900000, timestamp_ms / 900000 * 900000, dex, count(*), sum(sol_amount)
     from swap group by 3, 4`,
  )
  await db.query('update pool set last_slot = $1', [COPIES * SLOTS])
  await insertSwaps(db, [rare])
  const added = Array.from({ length: EVENTS }, (_, n) =>
    eventAt(n, Math.floor((n * SLOTS) / EVENTS), 'liquidity_added'),
  )
  await insertEvents(db, added)
  await copyRows('pool_event', {
    slot,
    timestamp_ms,
    ix_index: 'copy',
  })
  await insertEvents(db, [{ ...eventAt(1_000_000, RARE, 'migrated'), fromPair: pair(2) }])
  await db.query('analyze')
})
test.after.always(() => hasty.stop())

const LISTS = [
  '/swaps?is_buy=true&',
  '/swaps?is_buy=true&dex=9&',
  `/swaps?dex=${RARE_DEX}&`,
  `/swaps?pair_address=${pair(1)}&is_buy=true&`,
  '/swaps/whale?min_sol=9000&',
  '/swaps/whale?is_buy=true&',
  `/swaps/range?from=${FIRST_MS}&to=${LAST_MS}&is_buy=true&`,
  `/swaps/trader/${trader(1)}?is_buy=true&`,
  `/swaps/trader/${trader(1)}?dex=${RARE_DEX}&`,
  `/swaps/token/${mintOfPair(1)}?is_buy=true&`,
  `/swaps/token/${mint(0)}?min_sol=8999&`,
  '/pool-events?event=migrated&',
  `/pool-events?event=migrated&from=${FIRST_MS}&`,
  `/pool-events?event=migrated&to=${FIRST_MS + (RARE + 1) * SLOT_MS}&`,
  `/pool-events?event=migrated&pair_address=${pair(0)}&`,
]
for (const path of LISTS) {
  test(`one that fits among hundreds of thousands is found once, over pages that end early: ${path}`, async (t) => {
    for (const order of ['desc', 'asc']) {
      const { rows } = await walkPages(get, `${path}order=${order}&`, [100])
      t.deepEqual(
        rows.map(({ signature }) => signature),
        [RARE_SIGNATURE],
        order,
      )
    }
  })
}

test('a page that ends early may be empty, and has the cursor to continue', async (t) => {
  for (const path of [
    '/swaps?is_buy=true&',
    '/swaps/whale?is_buy=true&',
    '/pool-events?event=migrated&',
  ]) {
    const first = await getHasty(`${path}limit=100`)
    const second = await getHasty(`${path}limit=100&cursor=${first.body.next_cursor}`)
    for (const { status, body } of [first, second]) {
      t.deepEqual([status, body.data, typeof body.next_cursor], [200, [], 'string'], path)
    }
    t.not(first.body.next_cursor, second.body.next_cursor, path)
    const { pages, shortPages } = await walkPages(get, path, [100])
    t.is(pages, shortPages + 1, path)
  }
})

test('reads no swaps of others for a venue that never traded, or traded long ago', async (t) => {
  const none = await walkPages(get, '/swaps?dex=7&', [100])
  t.deepEqual(none.rows, [])
  for (const order of ['asc', 'desc']) {
    const nodes = await planAsRun(under().db, `swaps/find_venue_run_${order}`, [
      RARE_DEX,
      0,
      COPIES * SLOTS,
    ])
    const indexes = nodes.flatMap((node) => node['Index Name'] ?? [])
    t.deepEqual([...new Set(indexes)].sort(), ['slot_span_pkey', 'venue_volume_pkey'])
    const { rows } = await under().db.query(query(`swaps/find_venue_run_${order}`).text, [
      RARE_DEX,
      0,
      COPIES * SLOTS,
    ])
    t.deepEqual(rows, [{ low_slot: 500_000, high_slot: 509_999 }])
  }
})

test('events of a window of time are read by their time where they are few', async (t) => {
  const at = FIRST_MS + RARE * SLOT_MS
  for (const order of ['asc', 'desc']) {
    const after = order === 'asc' ? -1 : Number.MAX_SAFE_INTEGER
    const given = [after, 0, 0, 0, 102, null, 'migrated', at - 60_000, at + 60_000]
    const nodes = await planAsRun(under().db, `pool-events/list_events_between_${order}`, given)
    const indexes = nodes.map((node) => node['Index Name'])
    t.true(indexes.includes('pool_event_time'))
    t.false(indexes.includes('pool_event_order'))
  }
  const path = `/pool-events?event=migrated&from=${at - 60_000}&to=${at + 60_000}&`
  const { rows, pages } = await walkPages(get, path, [100])
  t.deepEqual([rows.map(({ signature }) => signature), pages], [[RARE_SIGNATURE], 1])
})

test('in GraphQL rows alone are complete or refused; their page continues', async (t) => {
  const { send } = await asker({ ...under(), api: hasty })
  const { data, errors } = await send(
    '{ swaps(is_buy: true) { signature } swapsPage(is_buy: true) { next_cursor } nulled: swaps(is_buy: true, limit: null) { signature } }',
  )
  const codes = errors?.map(({ extensions }) => extensions.code)
  t.deepEqual(codes, ['GATEWAY_TIMEOUT', 'GATEWAY_TIMEOUT'])
  t.like(data, { swaps: null, nulled: null })
  const { next_cursor: next } = (data?.swapsPage ?? {}) as { next_cursor?: unknown }
  t.is(typeof next, 'string')
})
