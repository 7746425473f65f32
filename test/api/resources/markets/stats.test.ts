/** The market's totals against sums over all swaps of random markets that came in parts, out of order. */
import test from 'ava'
import type { Swap } from '../../../../domain/events/swap.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { exactQuotient } from '../../../simulation/models/exact.ts'
import { apiUnderTest, untilHit } from '../../../support/api/api-under-test.ts'
import { recountAll } from '../../../support/api/insert-ranking.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import {
  inWindow,
  NEWEST_MS,
  randomMarket,
  volumeOf,
} from '../../../support/market/random-market.ts'

const prng = new Prng([20_260_724])

function totalsOf(swaps: readonly Swap[], minutes: number) {
  const recent = inWindow(swaps, minutes)
  const distinct = (of: (swap: Swap) => string): number => new Set(recent.map(of)).size
  return {
    swaps: recent.length,
    volume_sol: exactQuotient(volumeOf(recent), 1_000_000_000n),
    traders: distinct(({ user }) => user),
    tokens: distinct(({ tokenAddress }) => tokenAddress),
    pools: distinct(({ pairAddress }) => pairAddress),
  }
}

test('totals equal the sums of swaps of 1 and 24 hours in any order of arrival', async (t) => {
  for (const count of [1, 30, 300]) {
    const swaps = randomMarket(prng, count)
    const under = await apiUnderTest(t, { now: () => NEWEST_MS + 1_234 })
    for (const part of Map.groupBy(swaps, () => prng.below(3)).values()) {
      await insertSwaps(under.db, part, { hasPrices: true })
    }
    await recountAll(under.db)
    const { status, body } = await under.get('/api/v1/stats')
    t.is(status, 200)
    t.deepEqual(body as unknown, {
      success: true,
      data: {
        windows: { '1h': totalsOf(swaps, 60), '24h': totalsOf(swaps, 1_440) },
        newest_slot: Math.max(...swaps.map(({ slot }) => slot)),
        newest_timestamp: NEWEST_MS,
        indexing_lag_ms: 1_234,
      },
    })
  }
})

test('before the first swap all totals are zero', async (t) => {
  const under = await apiUnderTest(t)
  const { status, body } = await under.get('/api/v1/stats')
  const nothing = { swaps: 0, volume_sol: 0, traders: 0, tokens: 0, pools: 0 }
  t.is(status, 200)
  t.deepEqual(body.data as unknown, {
    windows: { '1h': nothing, '24h': nothing },
    newest_slot: null,
    newest_timestamp: null,
    indexing_lag_ms: null,
  })
})

test('caches totals for seconds, and requires a key', async (t) => {
  const under = await apiUnderTest(t)
  const first = await under.get('/api/v1/stats')
  t.is(first.headers.get('X-Cache'), 'miss')
  const second = await untilHit(() => under.get('/api/v1/stats?_=1'))
  t.is(second.headers.get('X-Cache'), 'hit')
  t.regex(second.headers.get('Cache-Control') ?? '', /max-age=[0-5]$/)
  const { status, body } = await under.call('/api/v1/stats')
  t.is(status, 401)
  t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } })
})
