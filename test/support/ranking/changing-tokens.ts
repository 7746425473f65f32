/** Tokens that come, change and go at random, in rankings. */

import { TREND_WINDOWS } from '../../../domain/ranking.ts'
import type { DexId } from '../../../domain/venue.ts'
import type { Prng } from '../../../streams/simulator/prng.ts'
import type {
  PoolWindow,
  TokenMetrics,
  WindowMetrics,
} from '../../../workers/ranking/series/window-metrics.ts'
import type { RankedToken, Rankings } from '../../../workers/ranking/snapshot/snapshots.ts'

const SECTORS = [null, '', 'meme', 'game', 'rare']
export const VENUES_TRADED = 2

function windowOf(prng: Prng): WindowMetrics {
  const pools = Array.from({ length: 1 + prng.below(2) }, (_, n): PoolWindow => {
    const close = prng.chance(0.1) ? null : 1 + prng.below(40)
    const open = close === null ? null : 20
    const dex = (1 + prng.below(VENUES_TRADED)) as DexId
    const trades = 1 + prng.below(3)
    const volume = prng.below(1_000)
    return { pair: `pair ${n}`, dex, open, high: close, low: open, close, volume, trades }
  })
  const [first, second = first] = pools
  return {
    volume: pools.reduce((sum, { volume }) => sum + Number(volume), 0),
    changePct: topChange(pools),
    isRugged: prng.chance(0.2),
    parts: [0, 0, 0, 0, 0, null, null],
    // Few scores, so that many tie.
    score: prng.below(60),
    pools,
    venue: first!.dex === second!.dex ? first!.dex : undefined,
  }
}

export function topChange(pools: readonly PoolWindow[]): number | null {
  const priced = pools.filter(({ open }) => open !== null)
  priced.sort(
    (a, b) =>
      Number(b.volume) - Number(a.volume) || b.trades - a.trades || (a.pair < b.pair ? -1 : 1),
  )
  const [top] = priced
  return top === undefined ? null : ((top.close! - top.open!) / top.open!) * 100
}

function metricsOf(prng: Prng, before: TokenMetrics): TokenMetrics {
  return TREND_WINDOWS.map((_, index) => {
    // Without any before, all are others.
    if (before.length > 0 && prng.chance(0.5)) return before[index]
    return prng.chance(0.3) ? undefined : windowOf(prng)
  })
}

/** Puts some of `count` tokens into the rankings, others than before, and removes some. */
export function changeTokens(
  prng: Prng,
  rankings: Rankings,
  tokens: Map<number, RankedToken>,
  round: number,
  count: number,
): void {
  // Now and then many go, those in front among them.
  const share = round % 8 === 7 ? 0.6 : 0.05
  for (const token of tokens.values()) {
    if (!prng.chance(share)) continue
    rankings.put(token, null, [])
    tokens.delete(token.tokenId)
  }
  for (let left = prng.below(round % 10 === 0 ? count : count / 10); left > 0; left--) {
    const tokenId = prng.below(count)
    const known = tokens.get(tokenId)
    const fresh = { tokenId, mint: `mint ${tokenId}`, sector: null, figures: [] }
    const token: RankedToken = known ?? fresh
    tokens.set(tokenId, token)
    const moves = prng.chance(0.1)
    const sector = moves ? SECTORS[prng.below(SECTORS.length)]! : token.sector
    rankings.put(token, sector, metricsOf(prng, moves ? [] : token.figures))
  }
}
