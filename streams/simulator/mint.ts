/**
 * Tokens: their metadata, their Token-2022 transfer fee, their holders and the pools that trade them.
 */

import { drawAddress } from './base58-draw.ts'
import { Holdings } from './cast/holdings.ts'
import type { Wallet } from './cast/wallets.ts'
import type { Mint } from './listing.ts'
import type { Prng } from './prng.ts'

export const SECTORS = ['meme', 'ai', 'gaming', 'defi', 'animals', 'politics'] as const
/** Whole tokens that a mint comes with. */
const SUPPLY_TOKENS = 1_000_000_000n
const SYLLABLES = 'ba do ka lo mi no pe ra su ti wo zu chi gro fle sno pum tri'.split(' ')
const TITLES = ['Coin', 'Inu', 'Cat', 'AI', 'Protocol', 'of Solana', 'Classic', 'Game'] as const

export function drawMint(prng: Prng, creator: Wallet, decimals: number, transferFeeBps = 0): Mint {
  const syllables = Array.from({ length: prng.between(2, 3) }, () => prng.pick(SYLLABLES))
  const word = syllables.join('')
  const mint: Mint = {
    tokenAddress: drawAddress(prng),
    creator,
    decimals,
    symbol: word.toUpperCase(),
    name: `${word[0]!.toUpperCase()}${word.slice(1)} ${prng.pick(TITLES)}`,
    supply: SUPPLY_TOKENS * 10n ** BigInt(decimals),
    transferFeeBps,
    holdings: new Holdings(),
    pools: [],
    isPublished: false,
  }
  if (prng.chance(0.4)) mint.sector = prng.pick(SECTORS)
  return mint
}

/** Decimals as they occur: mostly 6, often 9, at times others. */
export function drawDecimals(prng: Prng): number {
  const draw = prng.unit()
  return draw < 0.65 ? 6 : draw < 0.9 ? 9 : prng.pick([0, 2, 5, 8])
}
