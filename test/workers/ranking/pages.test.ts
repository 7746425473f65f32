/** Rankings whose tokens come, change and go: at any time their pages are those of all tokens put in order anew. */
import test from 'ava'
import { Prng } from '../../../streams/market/prng.ts'
import {
  MOVER_TIMEFRAMES,
  MOVERS_KEPT,
  type MoverEntry,
  TREND_WINDOWS,
  TRENDING_KEPT,
  type TrendingEntry,
} from '../../../streams/ranking.ts'
import type { DexId } from '../../../streams/venue.ts'
import type { PoolWindow, TokenFigures, WindowFigures } from '../../../workers/ranking/figures.ts'
import { Order } from '../../../workers/ranking/order.ts'
import { type Ranked, Rankings } from '../../../workers/ranking/pages.ts'

const TOKENS = 3_000
const ROUNDS = 17
const SECTORS = [null, '', 'meme', 'game', 'rare']
const VENUES_TRADED = 2

function windowOf(prng: Prng): WindowFigures {
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

function topChange(pools: readonly PoolWindow[]): number | null {
  const priced = pools.filter(({ open }) => open !== null)
  priced.sort(
    (a, b) =>
      Number(b.volume) - Number(a.volume) || b.trades - a.trades || (a.pair < b.pair ? -1 : 1),
  )
  const [top] = priced
  return top === undefined ? null : ((top.close! - top.open!) / top.open!) * 100
}

function figuresOf(prng: Prng, before: TokenFigures): TokenFigures {
  return TREND_WINDOWS.map((_, place) => {
    // Without any before, all are others.
    if (before.length > 0 && prng.chance(0.5)) return before[place]
    return prng.chance(0.3) ? undefined : windowOf(prng)
  })
}

const byMint = (a: string, b: string): number => (a < b ? -1 : 1)

function trendsOf(tokens: readonly Ranked[], place: number, hasRugged: boolean, wanted: string) {
  return tokens
    .flatMap(({ mint, sector, figures }) => {
      const window = figures[place]
      if (window === undefined || (window.isRugged && !hasRugged)) return []
      return wanted === '' || sector === wanted ? [{ mint, score: window.score }] : []
    })
    .sort((a, b) => b.score - a.score || byMint(a.mint, b.mint))
}

function moversOf(tokens: readonly Ranked[], place: number, dex: number) {
  const all = tokens.flatMap(({ mint, figures }) => {
    const pools = figures[place]?.pools.filter((pool) => dex === 0 || pool.dex === dex) ?? []
    const changePct = topChange(pools)
    const trades = pools.reduce((sum, pool) => sum + pool.trades, 0)
    return changePct === null || changePct === 0 || trades < 2 ? [] : [{ mint, changePct }]
  })
  const side = (sign: number): string[] =>
    all
      .filter(({ changePct }) => changePct * sign > 0)
      .sort((a, b) => (b.changePct - a.changePct) * sign || byMint(a.mint, b.mint))
      .slice(0, MOVERS_KEPT)
      .map(({ mint }) => mint)
  return { gainers: side(1), losers: side(-1) }
}

const mintsOf = (text: string): string[] => (JSON.parse(text) as MoverEntry[]).map(([mint]) => mint)

test('pages are those of all tokens in order, whoever came, changed or went', (t) => {
  const prng = new Prng([88, 1])
  const rankings = new Rankings()
  const tokens = new Map<number, Ranked>()
  for (let round = 0; round < ROUNDS; round++) {
    // Now and then many go, those in front among them.
    const share = round % 8 === 7 ? 0.6 : 0.05
    for (const token of tokens.values()) {
      if (!prng.chance(share)) continue
      rankings.put(token, null, [])
      tokens.delete(token.tokenId)
    }
    for (let count = prng.below(round % 10 === 0 ? TOKENS : 300); count > 0; count--) {
      const tokenId = prng.below(TOKENS)
      const known = tokens.get(tokenId)
      const fresh = { tokenId, mint: `mint ${tokenId}`, sector: null, figures: [] }
      const token: Ranked = known ?? fresh
      tokens.set(tokenId, token)
      const moves = prng.chance(0.1)
      const sector = moves ? SECTORS[prng.below(SECTORS.length)]! : token.sector
      rankings.put(token, sector, figuresOf(prng, moves ? [] : token.figures))
    }
    assertPages(round, [...tokens.values()])
  }

  function assertPages(round: number, all: readonly Ranked[]): void {
    const { trending, movers } = rankings.pages(() => tokens.values())
    const pageOf = new Map(
      trending.map((page) => [`${page.minutes} ${page.hasRugged} ${page.sector}`, page]),
    )
    let known = 0
    for (const [place, minutes] of [1, 5, 15, 60, 240, 360, 1_440].entries()) {
      for (const sector of ['', 'meme', 'game', 'rare']) {
        for (const hasRugged of [false, true]) {
          const expected = trendsOf(all, place, hasRugged, sector)
          const page = pageOf.get(`${minutes} ${hasRugged} ${sector}`)
          if (expected.length === 0 && sector !== '') {
            t.is(page, undefined)
            continue
          }
          known += 1
          t.is(page?.total, expected.length)
          const entries = JSON.parse(page!.entries) as TrendingEntry[]
          const mints = expected.slice(0, TRENDING_KEPT).map(({ mint }) => mint)
          t.deepEqual(
            entries.map(([, mint]) => mint),
            mints,
            `round ${round}`,
          )
          for (const [tokenId, , , , changes] of entries) {
            const { figures } = tokens.get(tokenId)!
            t.deepEqual(
              changes,
              figures.map((each) => each?.changePct ?? null),
            )
          }
        }
      }
    }
    t.is(pageOf.size, known)
    for (const { minutes, dex, gainers, losers } of movers) {
      if (dex > VENUES_TRADED) continue
      const place = [1, 5, 15, 60, 240, 360, 1_440].indexOf(minutes)
      const found = { gainers: mintsOf(gainers), losers: mintsOf(losers) }
      t.deepEqual(found, moversOf(all, place, dex), `round ${round}`)
    }
    t.is(movers.length, MOVER_TIMEFRAMES.length * 11)
  }
})

test('an order is short when those who left may have hidden others, and not before', (t) => {
  const order = new Order<{ token: { mint: string } }>(2)
  const named = (mint: string) => ({ token: { mint } })
  for (const mint of ['d', 'b', 'e', 'a', 'c']) order.add(1, named(mint))
  // Four are held: e is not.
  t.deepEqual(order.first(), [named('a'), named('b')])
  order.remove(1, named('a'))
  order.remove(1, named('b'))
  t.false(order.isShort)
  t.deepEqual(order.first(), [named('c'), named('d')])
  order.add(1, named('f'))
  order.remove(2, named('c'))
  order.remove(1, named('c'))
  t.true(order.isShort)
  order.clear()
  t.false(order.isShort)
  for (const mint of ['f', 'e', 'd']) order.add(1, named(mint))
  order.remove(1, named('d'))
  t.deepEqual(order.first(), [named('e'), named('f')])
  order.remove(1, named('e'))
  t.false(order.isShort, 'nobody was left out')
})
