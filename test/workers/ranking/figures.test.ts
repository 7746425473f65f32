/** Figures of tokens in windows: who is left as it was when windows pass on must not change by it. */
import test from 'ava'
import { Prng } from '../../../streams/market/prng.ts'
import type { DexId } from '../../../streams/venue.ts'
import { edgesBetween, figuresOf, isMoved } from '../../../workers/ranking/figures.ts'
import type { TokenTrack } from '../../../workers/ranking/track.ts'

const END = 29_700_000

function trackOf(prng: Prng): TokenTrack {
  const minutesOf = (count: number): number[] =>
    [
      ...new Set(
        Array.from({ length: count }, () => END - prng.below(prng.chance(0.5) ? 70 : 2_900)),
      ),
    ].sort((a, b) => a - b)
  const pools = [0, 1].map((poolId) => ({
    poolId,
    pair: `pair ${poolId}`,
    dex: (1 + prng.below(3)) as DexId,
    minutes: minutesOf(5).map((minute) => {
      const price = prng.chance(0.2) ? null : 1 + prng.below(20)
      const prices = { open: price, high: price, low: price, close: price }
      return { minute, ...prices, volume: prng.below(1_000_000_000), trades: 1 + prng.below(3) }
    }),
  }))
  const traded = [...new Set(pools.flatMap(({ minutes }) => minutes.map(({ minute }) => minute)))]
  const buyerMinutes = traded
    .sort((a, b) => a - b)
    .map((at) => ({ at, wallets: [prng.below(6), 6 + prng.below(6)], below: null }))
  const buyerHours = [...Map.groupBy(buyerMinutes, ({ at }) => Math.floor(at / 60))].map(
    ([at, own]) => ({
      at,
      wallets: [...new Set(own.flatMap((each) => each.wallets))],
      below: null,
    }),
  )
  return {
    tokenId: 1,
    mint: 'mint',
    sector: null,
    creatorId: 1,
    firstMs: Math.min(...traded) * 60_000,
    pools: new Map(pools.map((pool) => [pool.poolId, pool])),
    buyerMinutes,
    buyerHours,
    creatorSales: prng.chance(0.3) ? [{ minute: traded[0]!, lamports: 5_000_000 }] : [],
    holding: {
      now: 9,
      top10Share: 0.7,
      changes: traded.map((minute) => ({ minute, net: prng.below(3) - 1 })),
    },
  }
}

test('a token that no edge of a window passes keeps its figures', (t) => {
  const prng = new Prng([77, 1])
  let [left, moved] = [0, 0]
  for (let round = 0; round < 1_500; round++) {
    const track = trackOf(prng)
    const step = 1 + prng.below(5)
    if (isMoved(track, edgesBetween(END, END + step))) {
      moved += 1
      continue
    }
    left += 1
    t.deepEqual(figuresOf(track, END + step), figuresOf(track, END))
  }
  t.true(left > 200 && moved > 200, `${left} were left, ${moved} moved`)
})
