/**
 * Early buyers of a mint and the tags that this earns them (docs/semantics.md#wallet-tags). Pure.
 *
 * The same rules as a wallet's tags, applied to the mint's first swaps instead of to the wallet's.
 */
import { compareSwaps, type SwapOrderKey } from '../../../domain/events/swap.ts'
import { grouped, nounOf } from '../../../domain/text/plural.ts'
import {
  type Creation,
  insiderScore,
  sniperScore,
  THRESHOLDS,
  whaleScore,
} from '../../../domain/wallet/wallet-tag.ts'

/** Buyers that count as early. */
export const EARLY_BUYERS_MAX = 50
/** Swaps among which they are looked for, of the first day of the mint. */
export const FIRST_SWAPS_MAX = 1_000
/** The swaps among which they are looked for, in words. */
export const FIRST_SWAPS_WORDS = `first ${grouped(FIRST_SWAPS_MAX)} ${nounOf(FIRST_SWAPS_MAX, 'swap')} of the first day`
/** The rule in words, as descriptions of routes have it. */
export const EARLY_BUYERS_WORDS = `first ${EARLY_BUYERS_MAX} wallets to buy, looked for among the ${FIRST_SWAPS_WORDS}`

export type EarlyBuyer = { wallet: string; isSniper: boolean; isInsider: boolean }

/** The first wallets to buy, in order. `swaps`: the mint's first, of both sides, in any order. */
export function earlyBuyersOf(
  swaps: readonly SwapOrderKey[],
  creation: Creation | undefined,
): EarlyBuyer[] {
  const ordered = swaps.toSorted(compareSwaps)
  const mintSlot = ordered[0]?.slot ?? 0
  const buys = ordered.filter(({ isBuy }) => isBuy)
  const inSlot = buys.filter(({ slot }) => slot === creation?.slot)
  const firstBuys = new Map<string, number>()
  for (const { user, slot } of buys) if (!firstBuys.has(user)) firstBuys.set(user, slot)
  return [...firstBuys].slice(0, EARLY_BUYERS_MAX).map(([wallet, slot]) => ({
    wallet,
    isSniper: sniperScore(slot, mintSlot) !== undefined,
    isInsider: isInsider(wallet, slot, mintSlot, creation, inSlot),
  }))
}

/** A creation long before the first swap makes no buyer an insider. */
function isInsider(
  wallet: string,
  buySlot: number,
  mintSlot: number,
  creation: Creation | undefined,
  slotBuys: readonly SwapOrderKey[],
): boolean {
  if (creation === undefined) return false
  if (creation.creator === wallet) return true
  if (buySlot !== creation.slot || buySlot - mintSlot > THRESHOLDS.sniper.slotsMax) return false
  return insiderScore(wallet, creation, slotBuys) !== undefined
}

export type EarlyStake = {
  wallet: string
  /** The text of a numeric, base units. */
  balance: string
  decimals: number
  largest_buy_lamports: number | bigint
  is_smart: boolean
  /** False: the wallet's newest pass found nothing of it on chain, so that no value is open. */
  is_held: boolean
}

export type TagMix = {
  count: number
  sniper: number
  insider: number
  whale: number
  smart_money: number
  untagged: number
}

const LAMPORTS_A_SOL = 1e9

/** How many of them are what; one may be several things. `price`: SOL a whole token, null without. */
export function tagMixOf(
  buyers: readonly EarlyBuyer[],
  positions: readonly EarlyStake[],
  price: number | null,
): TagMix {
  const stakeOf = new Map(positions.map((stake) => [stake.wallet, stake]))
  const mix: TagMix = {
    count: buyers.length,
    sniper: 0,
    insider: 0,
    whale: 0,
    smart_money: 0,
    untagged: 0,
  }
  for (const { wallet, isSniper, isInsider } of buyers) {
    const stake = stakeOf.get(wallet)
    const isWhale = stake !== undefined && isWhaleBy(stake, price)
    const isSmart = stake?.is_smart === true
    if (isSniper) mix.sniper += 1
    if (isInsider) mix.insider += 1
    if (isWhale) mix.whale += 1
    if (isSmart) mix.smart_money += 1
    if (!(isSniper || isInsider || isWhale || isSmart)) mix.untagged += 1
  }
  return mix
}

function isWhaleBy(
  { balance, decimals, largest_buy_lamports, is_held }: EarlyStake,
  price: number | null,
): boolean {
  const tokens = is_held ? Number(balance) / 10 ** decimals : 0
  const open = BigInt(Math.floor(tokens * (price ?? 0) * LAMPORTS_A_SOL))
  return whaleScore(BigInt(largest_buy_lamports), open) !== undefined
}
