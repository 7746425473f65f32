// Walks through the pools of tokens: in the order of volumes while no pool trades, each pool once while all of them
// trade, also of more pools than a cursor stores; and the contents of their cursors.

import test from 'ava'
import fc from 'fast-check'
import {
  type FirstPosition,
  POOLS_CURSOR_LENGTH_MAX,
  poolHash,
  poolsCursor,
  readPoolsCursor,
  SHOWN_MAX,
} from '../../../../api/resources/pairs/shown-pools.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { getter, walkPages } from '../../../support/api/walked-pages.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'
import { asker } from '../../graphql/send-query.ts'

const FIRST_MS = Date.UTC(2026, 6, 1, 12)
const MINTS = 200
const MOST = Array.from({ length: MINTS }, (_, n) => mint(n)).join()
/** With 200 mints and the other headers it fits into 16 KiB. */
const LENGTH_BESIDE_MINTS = 6_400
const PATH = `/api/v1/pairs?token_addresses=${MOST}`

let swapCount = 0
/** A trade of so many lamports in a pool; pool p is of mint p % 200. */
function trade(pool: number, solAmount: number): Swap {
  const n = swapCount++
  return sampleSwap({
    signature: signatureOf(n),
    slot: 1_000 + n,
    timestamp: FIRST_MS + n,
    pairAddress: pair(pool),
    tokenAddress: mint(pool % MINTS),
    solAmount,
    dex: pool % 2 === 0 ? 1 : 2,
  })
}

type Shown = { pair_address: string; recent_volume_sol: number; recent_trade_count: number }

function isRanked(rows: readonly Shown[]): boolean {
  return rows.every((row, n) => {
    const before = rows[n - 1]
    return before === undefined || before.recent_volume_sol >= row.recent_volume_sol
  })
}

async function market(t: Parameters<typeof apiUnderTest>[0], pools: number) {
  const under = await apiUnderTest(t)
  // 7,919 is prime: volumes are all different, and in no order.
  const swaps = Array.from({ length: pools }, (_, n) => trade(n, 20_000 + ((n * 7_919) % pools)))
  await insertSwaps(under.db, swaps, { hasPrices: true })
  return { under, get: await getter(under.db, under.api.url) }
}

test('pools of 200 mints are walked to the last, the busiest first, in pages of any size', async (t) => {
  const { get } = await market(t, 230)
  const first = await get(PATH)
  t.is(first.body.data.length, 50)
  t.is(typeof first.body.next_cursor, 'string')
  const whole = await get(`${PATH}&limit=500`)
  t.is(whole.body.data.length, 230)
  t.is(whole.body.next_cursor, null)
  t.true(isRanked(whole.body.data as Shown[]))
  t.deepEqual(first.body.data, whole.body.data.slice(0, 50))
  for (const limits of [[100], [230], [229, 1], [7], [1, 50, 3]]) {
    const { rows } = await walkPages(get, `${PATH}&`, limits)
    t.deepEqual(rows, whole.body.data, `${limits}`)
  }
  const onOne = await walkPages(get, `${PATH}&protocol=venue_2&`, [20])
  t.deepEqual(
    onOne.rows,
    whole.body.data.filter(({ dex }) => dex === 2),
  )
  // The mints in another order, one of them twice, are the same list.
  const turned = MOST.split(',').toReversed().join()
  const same = `/api/v1/pairs?token_address=${mint(3)}&token_addresses=${turned}`
  const rest = await get(`${same}&cursor=${first.body.next_cursor}&limit=500`)
  t.deepEqual(rest.body.data, whole.body.data.slice(50))
})

test('a walk during changes of volumes skips no pool and repeats none', async (t) => {
  const { under, get } = await market(t, 60)
  const seen: Shown[] = []
  let cursor = ''
  for (let page = 0; ; page++) {
    const { body } = await get(`${PATH}&limit=7${cursor}`)
    const rows = body.data as Shown[]
    t.true(isRanked(rows))
    seen.push(...rows)
    if (body.next_cursor === null) break
    cursor = `&cursor=${body.next_cursor}`
    // The last pool is first now, and a new pool appears.
    const turned = Array.from({ length: 60 }, (_, n) =>
      trade(n, 10_000_000 * ((n + page) % 60) + 1),
    )
    await insertSwaps(under.db, [...turned, trade(1_000 + page, 5)], { hasPrices: true })
  }
  const pools = seen.map((row) => row.pair_address)
  t.is(new Set(pools).size, pools.length, 'none twice')
  for (let n = 0; n < 60; n++) t.true(pools.includes(pair(n)), `pool ${n}`)
})

test('lists each pool once, beyond the number that a cursor remembers', async (t) => {
  const pools = SHOWN_MAX + 700
  const { under, get } = await market(t, pools)
  for (const limits of [[500], [300], [400, 500, 100]]) {
    const sizes: number[] = []
    const seen: string[] = []
    let volumes: number[] = []
    let cursor = ''
    for (let page = 0; ; page++) {
      const limit = limits[page % limits.length]!
      const { status, body } = await get(`${PATH}&limit=${limit}${cursor}`)
      t.is(status, 200)
      const rows = body.data as Shown[]
      t.true(isRanked(rows))
      sizes.push(rows.length)
      seen.push(...rows.map((row) => row.pair_address))
      if (seen.length <= SHOWN_MAX) {
        volumes = [...volumes, ...rows.map((row) => row.recent_volume_sol)]
      }
      if (body.next_cursor === null) break
      t.true(body.next_cursor.length <= LENGTH_BESIDE_MINTS)
      cursor = `&cursor=${body.next_cursor}`
      const rank = page * 50
      await insertSwaps(under.db, [trade(rank, 9), trade(pools - 1 - rank, 9)], { hasPrices: true })
    }
    t.is(new Set(seen).size, pools, `${sizes}`)
    t.is(seen.length, pools)
    t.deepEqual(
      volumes,
      volumes.toSorted((a, b) => b - a),
    )
  }
})

test('GraphQL walks the same list', async (t) => {
  const { under, get } = await market(t, 25)
  const { send } = await asker(under)
  const rest = await get(`${PATH}&limit=500`)
  const query = `query ($mints: [String!], $cursor: String) {
    pairsPage(token_addresses: $mints, limit: 10, cursor: $cursor) {
      data { pair_address } next_cursor
    }
  }`
  type Page = { pairsPage: Record<'data', Shown[]> & { next_cursor: string | null } }
  const seen: string[] = []
  for (let cursor: string | null = null; ; ) {
    const { data: page } = await send(query, { mints: MOST.split(','), cursor })
    const { pairsPage: answer } = page as Page
    seen.push(...answer.data.map((row) => row.pair_address))
    cursor = answer.next_cursor
    if (cursor === null) break
  }
  t.deepEqual(
    seen,
    rest.body.data.map((row) => row.pair_address),
  )
  const { errors = [] } = await send(query, { mints: [mint(0)], cursor: 'garbage' })
  t.is(errors[0]?.message, 'cursor: expected the next_cursor of an answer of this list')
})

const anyHash = fc.integer({ min: 0, max: 2 ** 40 - 1 })
const anyCursor: fc.Arbitrary<FirstPosition> = fc.record({
  slot: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  pair: fc.constant(pair(1)),
  mint: fc.constant(mint(2)),
})

test('a cursor reads back as the pools that were shown, and fits its bound', (t) => {
  const property = fc.property(
    fc.array(anyHash, { maxLength: SHOWN_MAX }),
    fc.option(anyCursor, { nil: undefined }),
    (shown, after) => {
      const page = after === undefined ? { shown } : { shown, after }
      const text = poolsCursor(['pools'], page)
      const read = readPoolsCursor(['pools'], text)
      t.deepEqual(read, { ...page, shown: shown.toSorted((a, b) => a - b) })
      t.true(text.length <= POOLS_CURSOR_LENGTH_MAX)
    },
  )
  fc.assert(property)
  const even = Array.from({ length: SHOWN_MAX }, (_, n) => Math.floor((n * 2 ** 40) / SHOWN_MAX))
  const last = { slot: Number.MAX_SAFE_INTEGER, pair: pair(1), mint: mint(2) }
  for (const shown of [even, even.map((_, n) => n), even.map((_, n) => 2 ** 40 - 1 - n)]) {
    t.true(poolsCursor(['pools'], { shown, after: last }).length <= LENGTH_BESIDE_MINTS)
  }
})

test('hashes of pools follow from their account and their mint only', (t) => {
  const name = { pair_address: pair(1), token_address: mint(2) }
  t.is(poolHash({ ...name }), poolHash(name))
  const many = Array.from({ length: 2_000 }, (_, n) =>
    poolHash({ pair_address: pair(n), token_address: mint(n % 7) }),
  )
  t.is(new Set(many).size, many.length)
  t.not(poolHash({ ...name, token_address: mint(3) }), poolHash(name))
})
