// Each tag's rule and score, hand-computed: both sides of every threshold.

import test from 'ava'
import type { SwapOrderKey } from '../../../domain/events/swap.ts'
import {
  areTagsDue,
  insiderScore,
  type MintWindow,
  smartMoneyTags,
  sniperScore,
  TAGS,
  type Tag,
  tagBits,
  tagsGoodSince,
  tagsOf,
  whaleScore,
} from '../../../domain/wallet/wallet-tag.ts'
import { SWAP } from '../../support/events/sample-event.ts'

const SOL = 1_000_000_000n

test('decodes bits to tags in alphabetical order', (t) => {
  t.deepEqual(tagsOf(15), ['insider', 'smart_money', 'sniper', 'whale'])
  for (let bits = 0; bits < 2 ** TAGS.length; bits++) t.is(tagBits(tagsOf(bits)), bits)
  const repeated: Tag[] = ['whale', 'sniper', 'whale']
  t.deepEqual(tagsOf(tagBits(repeated)), ['sniper', 'whale'])
})

test('a sniper bought within 3 slots of the first swap', (t) => {
  const cases: [buySlot: number, score: number | undefined][] = [
    [100, 1],
    [101, 0.75],
    [102, 0.5],
    [103, 0.25],
    [104, undefined],
    // Before the known first one: the two were read at different times.
    [99, undefined],
  ]
  for (const [buySlot, score] of cases) t.is(sniperScore(buySlot, 100), score, `${buySlot}`)
})

const CREATION = { creator: 'maker', slot: 7, signature: 'birth' }
/** Buys of slot 7 in the order given, as `user signature`. */
const buys = (...texts: string[]): SwapOrderKey[] =>
  texts.map((text, blockTxIndex) => {
    const [user = '', signature = ''] = text.split(' ')
    return { ...SWAP, slot: 7, blockTxIndex, isBuy: true, user, signature }
  })

test('an insider made the mint, or bought with its creation or before any unrelated buyer', (t) => {
  const cases: [what: string, slotBuys: SwapOrderKey[], score: number | undefined][] = [
    ['bought in the creation transaction', buys('other birth', 'me birth'), 0.8],
    ['behind an unrelated buyer, but in the transaction', buys('other x', 'me birth'), 0.8],
    ['first of the slot', buys('me a', 'other b'), 0.8],
    ['behind the creator', buys('maker b', 'me a'), 0.8],
    ['behind one of the creation transaction', buys('friend birth', 'me a'), 0.8],
    ['behind another buy of such a one', buys('friend z', 'friend birth', 'me a'), 0.8],
    ['behind an unrelated buyer', buys('friend birth', 'other b', 'me a'), undefined],
    ['once behind, once before', buys('me a', 'other b', 'me c'), 0.8],
    ['did not buy in the slot', buys('other b'), undefined],
    ['nobody did', [], undefined],
  ]
  for (const [what, slotBuys, score] of cases) {
    t.is(insiderScore('me', CREATION, slotBuys), score, what)
    t.is(insiderScore('me', CREATION, slotBuys.toReversed()), score, `${what}, read in any order`)
  }
  t.is(insiderScore('maker', CREATION, buys('other b')), 1)
  t.is(insiderScore('maker', { creator: 'maker', slot: null, signature: null }, []), 1)
  t.is(insiderScore('me', { creator: null, slot: null, signature: null }, []), undefined)
})

test('a whale made one large buy or holds much; the larger of the two scores', (t) => {
  const cases: [largestBuy: bigint, openValue: bigint, score: number | undefined][] = [
    [50n * SOL - 1n, 250n * SOL - 1n, undefined],
    [50n * SOL, 0n, 0.05],
    [0n, 250n * SOL, 0.25],
    // The holding counts for the score although only the buy makes the whale, and vice versa.
    [50n * SOL, 200n * SOL, 0.2],
    [40n * SOL, 300n * SOL, 0.3],
    [600n * SOL, 300n * SOL, 0.6],
    [1_000n * SOL, 0n, 1],
    [0n, 5_000n * SOL, 1],
  ]
  for (const [largestBuy, openValue, score] of cases) {
    t.is(whaleScore(largestBuy, openValue), score, `${largestBuy} ${openValue}`)
  }
})

/** Mints 0 .. n - 1, each closed by one sell; mint i realized `sol(i)` lamports. */
const closed = (n: number, lamports: (i: number) => bigint): MintWindow[] =>
  Array.from({ length: n }, (_, i) => ({
    tokenId: i,
    mint: `mint${i}`,
    coveredSellCount: 1,
    winCount: lamports(i) > 0n ? 1 : 0,
    realizedLamports: lamports(i),
    isClosed: true,
  }))

test('smart money closed 10 positions, won 55 % of sells and realized 25 SOL', (t) => {
  // 10 closed, all won, 2.5 SOL each: just enough. 25 / 500.
  const enough = closed(10, () => (5n * SOL) / 2n)
  t.deepEqual(
    smartMoneyTags(enough),
    [0, 1, 2, 3, 4].map((tokenId) => ({ tokenId, tag: 'smart_money', score: 0.05 })),
  )
  t.deepEqual(smartMoneyTags(closed(9, () => 10n * SOL)), [], '9 closed')
  const open = enough.map((mint, i) => ({ ...mint, isClosed: i > 0 }))
  t.deepEqual(smartMoneyTags(open), [], 'one of 10 is open')
  const short = enough.map((mint, i) => ({
    ...mint,
    realizedLamports: mint.realizedLamports - (i === 0 ? 1n : 0n),
  }))
  t.deepEqual(smartMoneyTags(short), [], 'a lamport short of 25 SOL')
  t.deepEqual(smartMoneyTags([]), [])
})

test('the win rate is of covered sells, exactly 55 % is enough', (t) => {
  const withWins = (winCount: number): MintWindow[] =>
    closed(10, () => 5n * SOL).map((mint, i) => ({
      ...mint,
      coveredSellCount: i === 0 ? 11 : 1,
      winCount: i === 0 ? winCount : 1,
    }))
  // 20 covered sells: 9 wins of the others and 2 are 11, 55 %.
  t.is(smartMoneyTags(withWins(2)).length, 5)
  t.is(smartMoneyTags(withWins(1)).length, 0)
})

test('the mints of smart money are its five best, ties by mint', (t) => {
  const tags = smartMoneyTags(closed(12, (i) => (i === 11 || i === 3 ? 200n : BigInt(i)) * SOL))
  t.deepEqual(
    tags.map(({ tokenId }) => tokenId),
    // mint11 sorts before mint3.
    [11, 3, 10, 9, 8],
  )
  t.deepEqual([...new Set(tags.map(({ score }) => score))], [(400 + 52) / 500])
  t.deepEqual(
    [...new Set(smartMoneyTags(closed(10, () => 90n * SOL)).map((tag) => tag.score))],
    [1],
  )
})

test('tags are good for an hour', (t) => {
  const now = 10_000_000
  t.true(areTagsDue(null, now))
  t.true(areTagsDue(tagsGoodSince(now), now))
  t.false(areTagsDue(tagsGoodSince(now) + 1, now))
  t.is(tagsGoodSince(now), now - 3_600_000)
  // A clock that is ahead by more than clocks are apart wrote the tags.
  t.false(areTagsDue(now + 60_000, now))
  t.true(areTagsDue(now + 60_001, now))
})
