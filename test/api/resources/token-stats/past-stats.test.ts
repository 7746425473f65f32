/**
 * Statistics and first buyers as of a slot where stored rows are no answer: buckets that left traders out, and facts of token lines
 * after the slot. Answers at random slots are compared by test/api/resources/as-of/same-answers.test.ts.
 */
import test from 'ava'
import type { Swap } from '../../../../domain/events/swap.ts'
import { type ApiUnderTest, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { recountAll } from '../../../support/api/insert-ranking.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'

const FROM_MS = Date.parse('2026-07-20T10:07:00Z')
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

const swapOf = (n: number, changes: Partial<Swap> = {}): Swap =>
  sampleSwap({
    ...{ signature: signatureOf(n), slot: 1_000 + n, timestamp: FROM_MS + 7 * n },
    ...{ tokenAddress: mint(0), pairAddress: pair(0), user: trader(n), isBuy: true },
    ...changes,
  })

async function fill({ db }: ApiUnderTest, swaps: readonly Swap[]): Promise<void> {
  await insertSwaps(db, swaps, { hasPrices: true })
  await recountAll(db)
}

test('estimates as of a slot the traders that it estimated of now', async (t) => {
  const under = await apiUnderTest(t)
  // One minute has more buyers than a bucket, and an hour before has more sellers, but none of its minutes.
  const buys = Array.from({ length: 1_300 }, (_, n) => swapOf(n, { timestamp: FROM_MS + n }))
  const sells = Array.from({ length: 1_300 }, (_, n) =>
    swapOf(2_000 + n, {
      timestamp: FROM_MS - 2 * HOUR_MS + n * 900,
      user: trader(n),
      isBuy: false,
    }),
  )
  await fill(under, [...buys, ...sells])
  const slot = 1_000 + 3_299
  const stats = `/stats/token/${mint(0)}`
  const now = await under.get(stats)
  const { windows } = now.body.data as never as { windows: Record<string, Record<string, number>> }
  t.not(windows['1h']?.buyers, 1_300, 'estimated')
  t.not(windows['6h']?.sellers, 1_300, 'estimated')
  const later = [0, 5, -110].map((minute, n) =>
    swapOf(9_000 + n, {
      timestamp: FROM_MS + minute * MINUTE_MS + 999,
      user: trader(5_000 + n),
      pairAddress: pair(n),
    }),
  )
  await fill(under, later)
  const past = await under.get(`${stats}?as_of_slot=${slot}`)
  t.is(past.status, 200)
  t.deepEqual(past.body.data, now.body.data)
  t.notDeepEqual((await under.get(stats)).body.data, now.body.data)
  const many = await under.get(`/stats/tokens?mints=${mint(0)},${mint(9)}&as_of_slot=${slot}`)
  t.deepEqual(many.body.stats as unknown, { [mint(0)]: now.body.data } as unknown)
})

test('refuses facts of which only a later line is stored, by name', async (t) => {
  const under = await apiUnderTest(t)
  const slotOf = (n: number) => 1_000 + 100 * n
  const swaps = Array.from({ length: 6 }, (_, n) =>
    swapOf(n, { slot: slotOf(n), tokenAddress: mint(n), pairAddress: pair(n) }),
  )
  await fill(under, swaps)
  const state = (n: number, column: string, value: string) =>
    under.db.query(`update token set ${column} = $2, ${column}_slot = 1500 where address = $1`, [
      mint(n),
      value,
    ])
  await state(0, 'symbol', 'LATER')
  await state(1, 'supply', '1000')
  await state(2, 'decimals', '9')
  await state(3, 'creator', trader(0))
  await under.db.query(
    "insert into token (address, name, name_slot) values ($1, 'L', 1500), ($2, 'E', 0)",
    [mint(7), mint(8)],
  )
  const get = async (path: string, slot: number) => {
    const { status, body } = await under.get(`${path}as_of_slot=${slot}`)
    const { code, message } = (body.error ?? {}) as { code?: string; message?: string }
    return { status, code, message, data: body.data as unknown as Record<string, unknown> }
  }
  const stats = (n: number, slot: number) => get(`/stats/token/${mint(n)}?`, slot)
  const unsupported = { status: 400, code: 'AS_OF_UNSUPPORTED' }
  const symbol = await stats(0, 1_400)
  t.like(symbol, unsupported)
  t.regex(symbol.message ?? '', /its symbol is of a line after slot 1400/)
  t.like(await stats(0, 1_500), { status: 200, data: { symbol: 'LATER' } as never })
  t.like(await stats(1, 1_400), unsupported)
  t.like(await stats(2, 1_400), { status: 200 }, 'decimals are those of swaps')
  t.like(await stats(3, 1_400), { status: 200 }, 'the creator is not shown')
  t.like(await stats(4, 1_399), { status: 404, code: 'NOT_FOUND' }, 'its first swap is later')
  t.like(await stats(7, 1_400), unsupported)
  t.like(await stats(8, 1_000), { status: 200, data: { name: 'E', price_sol: null } as never })
  t.like(await stats(9, 1_400), { status: 404, code: 'NOT_FOUND' })
  const many = await get(`/stats/tokens?mints=${mint(0)},${mint(4)}&`, 1_400)
  t.like(many, unsupported)
  t.regex(many.message ?? '', new RegExp(mint(0)))
  const buyers = (n: number, slot: number) => get(`/v2/pnl/tokens/${mint(n)}/first-buyers?`, slot)
  t.like(await buyers(3, 1_400), unsupported)
  t.is((await buyers(3, 1_500)).status, 200)
  t.is((await buyers(0, 1_400)).status, 200)
  t.is((await buyers(4, 1_399)).status, 404)
})
