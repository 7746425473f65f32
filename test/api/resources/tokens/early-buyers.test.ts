// Early buyers of a mint and their tags, hand-computed.

import test from 'ava'
import {
  EARLY_BUYERS_MAX,
  earlyBuyersOf,
  tagMixOf,
} from '../../../../api/resources/tokens/early-buyers.ts'
import type { SwapOrderKey } from '../../../../domain/events/swap.ts'
import type { Creation } from '../../../../domain/wallet/wallet-tag.ts'
import { pair, signatureOf, trader } from '../../../support/market/sample-swap.ts'

const swapAt = (slot: number, user: number, more: Partial<SwapOrderKey> = {}): SwapOrderKey => ({
  slot,
  blockTxIndex: 0,
  ixIndex: user,
  dex: 1,
  isBuy: true,
  signature: signatureOf(user),
  pairAddress: pair(1),
  user: trader(user),
  solAmount: 1,
  tokenAmount: 1,
  ...more,
})

const reported = (swaps: readonly SwapOrderKey[], creation?: Creation): string[] =>
  earlyBuyersOf(swaps, creation).map(({ wallet, isSniper, isInsider }) => {
    const user = [1, 2, 3, 4, 5, 6].find((n) => trader(n) === wallet)
    return `${user}${isSniper ? ' sniper' : ''}${isInsider ? ' insider' : ''}`
  })

test('lists buyers in the order of their first buys, each once, for any order of arrival', (t) => {
  const swaps = [swapAt(13, 3), swapAt(10, 2), swapAt(14, 4), swapAt(14, 2), swapAt(11, 1)]
  t.deepEqual(reported(swaps), ['2 sniper', '1 sniper', '3 sniper', '4'])
})

test('counts snipers from the first swap of the mint, a sell too; a wallet that only sold is no buyer', (t) => {
  // The sell is of slot 10: slot 13 is within 3 of it, 14 is not.
  const swaps = [swapAt(10, 1, { isBuy: false }), swapAt(13, 2), swapAt(14, 3)]
  t.deepEqual(reported(swaps), ['2 sniper', '3'])
})

test('insiders are the creator, buyers in its transaction, and buyers in its slot before any other', (t) => {
  const creation = { creator: trader(1), slot: 10, signature: signatureOf(2) }
  const swaps = [
    swapAt(10, 2),
    swapAt(10, 3),
    swapAt(10, 4),
    swapAt(11, 5),
    // The creator, late: no sniper, but the creator.
    swapAt(20, 1),
  ]
  t.deepEqual(reported(swaps, creation), [
    '2 sniper insider',
    '3 sniper insider',
    '4 sniper',
    '5 sniper',
    '1 insider',
  ])
})

test('a creation over 3 slots after the first swap makes no buyer an insider', (t) => {
  const creation = { creator: null, slot: 14, signature: signatureOf(2) }
  t.deepEqual(reported([swapAt(10, 1), swapAt(14, 2)], creation), ['1 sniper', '2'])
  t.deepEqual(reported([swapAt(11, 1), swapAt(14, 2)], creation), ['1 sniper', '2 sniper insider'])
})

test('early buyers are bounded, and empty without swaps', (t) => {
  const swaps = Array.from({ length: EARLY_BUYERS_MAX + 5 }, (_, n) => swapAt(10 + n, n))
  const buyers = earlyBuyersOf(swaps, undefined)
  t.is(buyers.length, EARLY_BUYERS_MAX)
  t.is(buyers.at(-1)?.wallet, trader(EARLY_BUYERS_MAX - 1))
  t.deepEqual(earlyBuyersOf([], undefined), [])
})

test('the mix counts a wallet under each of its tags, and untagged wallets', (t) => {
  const SOL = 1_000_000_000
  const buyers = [1, 2, 3, 4].map((n) => ({
    wallet: trader(n),
    isSniper: n === 1,
    isInsider: n === 1,
  }))
  const holdings = [
    // 50 SOL in one buy, all sold.
    {
      wallet: trader(1),
      balance: '0',
      decimals: 6,
      largest_buy_lamports: 50 * SOL,
      is_smart: true,
      is_held: true,
    },
    // 2,500 tokens at 0.1 are 250 SOL.
    {
      wallet: trader(2),
      balance: '2500000000',
      decimals: 6,
      largest_buy_lamports: 1,
      is_smart: false,
      is_held: true,
    },
    {
      wallet: trader(3),
      balance: '2499999999',
      decimals: 6,
      largest_buy_lamports: 1,
      is_smart: false,
      is_held: true,
    },
  ]
  const mix = { count: 4, sniper: 1, insider: 1, whale: 2, smart_money: 1, untagged: 2 }
  t.deepEqual(tagMixOf(buyers, holdings, 0.1), mix)
  t.deepEqual(tagMixOf(buyers, holdings, null), { ...mix, whale: 1, untagged: 3 })
  const gone = holdings.map((stake) => ({ ...stake, is_held: false }))
  t.deepEqual(tagMixOf(buyers, gone, 0.1), { ...mix, whale: 1, untagged: 3 })
})
