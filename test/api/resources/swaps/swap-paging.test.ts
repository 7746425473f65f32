// Cursors: for any page sizes, filters and ties, walking a list gives its sorted whole, once. The judge is the
// canonical comparison over swaps in memory.

import test from 'ava'
import fc from 'fast-check'
import { type Api, startApi } from '../../../../api/main.ts'
import { compareSwaps } from '../../../../domain/events/swap.ts'
import { apiForFile, SILENT } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { type Get, getter, walkPages } from '../../../support/api/walked-pages.ts'
import {
  mint,
  pair,
  sampleSwap,
  signatureOf,
  tiedSwaps,
  trader,
} from '../../../support/market/sample-swap.ts'
import { keyOfAnswer, keyOfSwap, SWAP_LISTS } from './swap-lists.ts'

const under = apiForFile()
/** Without time to search for matches: every page ends at the first mismatch. */
let hasty: Api
let getters: Get[]
const tables = 'swap, swap_signature, slot_span, venue_volume, pool, wallet, token, pool_event'

test.serial.before(async () => {
  const { db, databaseUrl, api } = under()
  hasty = await startApi({ databaseUrl, port: 0, log: SILENT, walkMs: 0 })
  getters = [await getter(db, api.url), await getter(db, hasty.url)]
})
test.after.always(() => hasty.stop())

test.serial('walking any list by cursors gives the sorted whole, in both orders', async (t) => {
  const limits = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 })
  const property = fc.asyncProperty(
    tiedSwaps({ minLength: 0, maxLength: 60 }),
    limits,
    fc.constantFrom(...SWAP_LISTS),
    async (swaps, sizes, { path, holds }) => {
      await under().db.query(`truncate ${tables} restart identity cascade`)
      if (swaps.length > 0) await insertSwaps(under().db, swaps)
      const whole = swaps.filter(holds).sort(compareSwaps).map(keyOfSwap)
      for (const [order, expected] of [
        ['asc', whole],
        ['desc', whole.toReversed()],
      ] as const) {
        for (const get of getters) {
          const { rows } = await walkPages(get, `${path}order=${order}&`, sizes)
          t.deepEqual(rows.map(keyOfAnswer), expected)
        }
      }
    },
  )
  await fc.assert(property, { numRuns: 60 })
})

test.serial(
  'rows that arrive while a list is walked make it neither skip nor repeat',
  async (t) => {
    await under().db.query(`truncate ${tables} restart identity cascade`)
    const [swaps = []] = fc.sample(tiedSwaps({ minLength: 60, maxLength: 60 }), {
      numRuns: 1,
      seed: 5,
    })
    const early = swaps.slice(0, 40)
    const late = swaps.slice(40)
    await insertSwaps(under().db, early)
    const first = await under().get('/swaps?limit=15')
    await insertSwaps(under().db, late)
    const second = await under().get(`/swaps?limit=1000&cursor=${first.body.next_cursor}`)
    const seen = [...first.body.data, ...second.body.data].map(keyOfAnswer)
    t.is(new Set(seen).size, seen.length)
    for (const swap of early) t.true(seen.includes(keyOfSwap(swap)))
  },
)

test.serial(
  'every list has a swap of the last possible slot once, with swaps of ordinary slots',
  async (t) => {
    await under().db.query(`truncate ${tables} restart identity cascade`)
    const firstMs = Date.UTC(2026, 6, 1)
    const swaps = [100, Number.MAX_SAFE_INTEGER - 9_000, Number.MAX_SAFE_INTEGER].map((slot, n) =>
      sampleSwap({
        signature: signatureOf(n),
        slot,
        timestamp: firstMs + n,
        solAmount: 60_000_000_000,
        user: trader(0),
        pairAddress: pair(0),
        tokenAddress: mint(0),
        dex: 2,
      }),
    )
    await insertSwaps(under().db, swaps)
    const keys = swaps.map(keyOfSwap)
    const paths = [
      '/swaps?',
      '/swaps/whale?',
      `/swaps?pair_address=${pair(0)}&`,
      `/swaps/token/${mint(0)}?`,
      `/swaps/trader/${trader(0)}?`,
    ]
    const times = [
      '',
      `from=${firstMs}&`,
      `to=${firstMs + 2}&`,
      `from=${firstMs}&to=${firstMs + 2}&`,
    ]
    for (const path of paths) {
      // Lists of all swaps and of whales have no time parameters: /swaps/range does.
      const given = path.startsWith('/swaps/t') ? times : ['']
      for (const traits of given.flatMap((time) => [time, `${time}dex=2&`])) {
        for (const [order, expected] of [
          ['asc', keys],
          ['desc', keys.toReversed()],
        ] as const) {
          for (const get of getters) {
            const { rows } = await walkPages(get, `${path}${traits}order=${order}&`, [1])
            t.deepEqual(rows.map(keyOfAnswer), expected, `${path}${traits}${order}`)
          }
        }
      }
    }
  },
)
