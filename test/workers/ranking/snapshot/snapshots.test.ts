/**
 * Rankings whose tokens appear, change and disappear: at any time their snapshots equal those of all tokens sorted from
 * scratch.
 */

import test from 'ava'
import { MOVERS_STORED, TRENDING_STORED } from '../../../../domain/ranking.ts'
import {
  MOVER_TIMEFRAMES,
  WINDOW_MINUTES,
  WINDOW_NAMES,
} from '../../../../domain/time/trade-window.ts'
import { VENUES } from '../../../../domain/venue.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { type RankedToken, Rankings } from '../../../../workers/ranking/snapshot/snapshots.ts'
import { TopList } from '../../../../workers/ranking/snapshot/top-list.ts'
import { bytesOf } from '../../../support/memory.ts'
import { changeTokens, topChange, VENUES_TRADED } from '../../../support/ranking/changing-tokens.ts'

const TOKENS = 3_000
const ROUNDS = 17

const byMint = (a: string, b: string): number => (a < b ? -1 : 1)

function trendsOf(
  tokens: readonly RankedToken[],
  index: number,
  hasRugged: boolean,
  wanted: string,
) {
  return tokens
    .flatMap(({ mint, sector, figures }) => {
      const window = figures[index]
      if (window === undefined || (window.isRugged && !hasRugged)) return []
      return wanted === '' || sector === wanted ? [{ mint, score: window.score }] : []
    })
    .sort((a, b) => b.score - a.score || byMint(a.mint, b.mint))
}

function moversOf(tokens: readonly RankedToken[], index: number, dex: number) {
  const all = tokens.flatMap(({ mint, figures }) => {
    const pools = figures[index]?.pools.filter((pool) => dex === 0 || pool.dex === dex) ?? []
    const changePct = topChange(pools)
    const trades = pools.reduce((sum, pool) => sum + pool.trades, 0)
    return changePct === null || changePct === 0 || trades < 2 ? [] : [{ mint, changePct }]
  })
  const side = (sign: number): string[] =>
    all
      .filter(({ changePct }) => changePct * sign > 0)
      .sort((a, b) => (b.changePct - a.changePct) * sign || byMint(a.mint, b.mint))
      .slice(0, MOVERS_STORED)
      .map(({ mint }) => mint)
  return { gainers: side(1), losers: side(-1) }
}

const mintsOf = (tokens: readonly RankedToken[]): string[] => tokens.map(({ mint }) => mint)

test('snapshots equal those of all tokens in order after any changes', (t) => {
  const prng = new Prng([88, 1])
  const rankings = new Rankings()
  const tokens = new Map<number, RankedToken>()
  for (let round = 0; round < ROUNDS; round++) {
    changeTokens(prng, rankings, tokens, round, TOKENS)
    assertPages(round, [...tokens.values()])
  }

  function assertPages(round: number, all: readonly RankedToken[]): void {
    const { trending, movers } = rankings.lists(() => tokens.values())
    const pageOf = new Map(
      trending.map((page) => [`${page.minutes} ${page.hasRugged} ${page.sector}`, page]),
    )
    let known = 0
    for (const [index, minutes] of [1, 5, 15, 60, 240, 360, 1_440].entries()) {
      for (const sector of ['', 'meme', 'game', 'rare']) {
        for (const hasRugged of [false, true]) {
          const expected = trendsOf(all, index, hasRugged, sector)
          const page = pageOf.get(`${minutes} ${hasRugged} ${sector}`)
          if (expected.length === 0 && sector !== '') {
            t.is(page, undefined)
            continue
          }
          known += 1
          t.is(page?.total, expected.length)
          const mints = expected.slice(0, TRENDING_STORED).map(({ mint }) => mint)
          t.deepEqual(mintsOf(page!.tokens), mints, `round ${round}`)
        }
      }
    }
    t.is(pageOf.size, known)
    for (const { minutes, dex, isGainer, tokens: found } of movers) {
      if (dex > VENUES_TRADED) continue
      const ordinal = WINDOW_NAMES.findIndex((name) => WINDOW_MINUTES[name] === minutes)
      const { gainers, losers } = moversOf(all, ordinal, dex)
      t.deepEqual(mintsOf(found), isGainer ? gainers : losers, `round ${round}`)
    }
    t.is(movers.length, MOVER_TIMEFRAMES.length * (VENUES.length + 1) * 2)
  }
})

test('an order is short when removed tokens may have hidden others, and not before', (t) => {
  const order = new TopList<{ mint: string }>(2)
  const named = (mint: string) => ({ mint })
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

test('an order uses memory for its tokens, not for its capacity', (t) => {
  const ordersOf = (tokens: number) => () =>
    Array.from({ length: 1_000 }, () => {
      const order = new TopList<{ mint: string }>(400)
      for (let key = 0; key < tokens; key++) order.add(key, { mint: 'mint' })
      return order
    })
  const [few, many] = [bytesOf(ordersOf(1)) / 1_000, bytesOf(ordersOf(500)) / 1_000]
  t.true(few < 1_000, `${few} bytes`)
  t.true(many > 8 * 500, `${many} bytes`)
})
