/**
 * Tags of a wallet by mint: the rules of each tag and its score, 0..1
 * (docs/semantics.md#wallet-tags). Pure.
 *
 * All thresholds are in one table. SOL figures are lamports; a score is divided once.
 */
import { divideSigned } from '../amount.ts'
import { compareSwaps, type SwapOrderKey } from '../events/swap.ts'
import { counted, grouped } from '../text/plural.ts'
import { latestMs } from '../time/time.ts'
import { HOUR_MS } from '../time/time-bucket.ts'

export const TAGS = ['sniper', 'insider', 'whale', 'smart_money'] as const
export type Tag = (typeof TAGS)[number]

/** Tags as bits: a swap's copy of its wallet's tags, in `swap` and in FEED. Never renumbered. */
const TAG_BITS: Record<Tag, number> = { sniper: 1, insider: 2, whale: 4, smart_money: 8 }

export function tagBits(tags: readonly Tag[]): number {
  return tags.reduce((bits, tag) => bits | TAG_BITS[tag], 0)
}

/** In alphabetical order. */
export function tagsOf(bits: number): Tag[] {
  return TAGS.filter((tag) => (bits & TAG_BITS[tag]) !== 0).sort()
}

const SOL = 1_000_000_000n

export const THRESHOLDS = {
  /** score = 1 - slots / slotScale. */
  sniper: { slotsMax: 3, slotScale: 4 },
  insider: { creatorScore: 1, buyerScore: 0.8 },
  /** score = value / fullLamports, at most 1. */
  whale: { buyLamports: 50n * SOL, openLamports: 250n * SOL, fullLamports: 1_000n * SOL },
  /** Over the trailing window; score = realized / fullLamports, at most 1. */
  smartMoney: {
    window: '30d',
    closedMin: 10,
    winPercent: 55,
    realizedLamports: 25n * SOL,
    fullLamports: 500n * SOL,
    mintsMax: 5,
  },
} as const

const solOf = (lamports: bigint): string => `${lamports / SOL} SOL`

/** Conditions of tags in words, as descriptions of routes have them. */
export const TAG_WORDS = {
  sniper: `within ${counted(THRESHOLDS.sniper.slotsMax, 'slot')} of the first`,
  buyOfWhale: `buy of ${solOf(THRESHOLDS.whale.buyLamports)}`,
  openWhale: `an open value of ${solOf(THRESHOLDS.whale.openLamports)}`,
  fullWhale: `${grouped(THRESHOLDS.whale.fullLamports / SOL)} SOL`,
  smartMoney:
    `over ${counted(Number.parseInt(THRESHOLDS.smartMoney.window, 10), 'day')} ${counted(THRESHOLDS.smartMoney.closedMin, 'position')} closed, ` +
    `${THRESHOLDS.smartMoney.winPercent} % of sells won, ${solOf(THRESHOLDS.smartMoney.realizedLamports)} realized`,
} as const

export type ScoredTag = { tokenId: number; tag: Tag; score: number }

/** Slots of the wallet's first buy of a mint and of the mint's first swap. Undefined: no sniper. */
export function sniperScore(buySlot: number, mintSlot: number): number | undefined {
  const { slotsMax, slotScale } = THRESHOLDS.sniper
  const slots = buySlot - mintSlot
  return slots < 0 || slots > slotsMax ? undefined : 1 - slots / slotScale
}

/** A mint's creation: its creator and its transaction, where known. */
export type Creation = { creator: string | null; slot: number | null; signature: string | null }

/**
 * `slotBuys`: buys of the mint in the creation's slot. Insiders are the creator, buyers in the creation's transaction,
 * and buyers in its slot before any other buyer.
 */
export function insiderScore(
  wallet: string,
  creation: Creation,
  slotBuys: readonly SwapOrderKey[],
): number | undefined {
  const { creatorScore, buyerScore } = THRESHOLDS.insider
  if (creation.creator === wallet) return creatorScore
  const own = slotBuys.filter((buy) => buy.user === wallet).toSorted(compareSwaps)
  const [first] = own
  if (first === undefined) return undefined
  if (own.some((buy) => buy.signature === creation.signature)) return buyerScore
  const related = new Set(
    slotBuys.filter((buy) => buy.signature === creation.signature).map((buy) => buy.user),
  )
  const isAfterOthers = slotBuys.some(
    (buy) =>
      buy.user !== wallet &&
      buy.user !== creation.creator &&
      !related.has(buy.user) &&
      compareSwaps(buy, first) < 0,
  )
  return isAfterOthers ? undefined : buyerScore
}

/** The largest single buy, and the present value of the open position (0 without a price). */
export function whaleScore(largestBuy: bigint, openValue: bigint): number | undefined {
  const { buyLamports, openLamports, fullLamports } = THRESHOLDS.whale
  if (largestBuy < buyLamports && openValue < openLamports) return undefined
  return share(largestBuy > openValue ? largestBuy : openValue, fullLamports)
}

/** Figures of a wallet in one mint in the window. */
export type MintWindow = {
  tokenId: number
  mint: string
  coveredSellCount: number
  winCount: number
  realizedLamports: bigint
  /** The position is empty, and the window contains a sell. */
  isClosed: boolean
}

/** The wallet's best mints by realized profit (ties by mint), when the wallet is smart money. */
export function smartMoneyTags(mints: readonly MintWindow[]): ScoredTag[] {
  const { closedMin, winPercent, realizedLamports, fullLamports, mintsMax } = THRESHOLDS.smartMoney
  const closed = mints.filter((mint) => mint.isClosed).length
  const covered = mints.reduce((sum, mint) => sum + mint.coveredSellCount, 0)
  const wins = mints.reduce((sum, mint) => sum + mint.winCount, 0)
  const realized = mints.reduce((sum, mint) => sum + mint.realizedLamports, 0n)
  if (closed < closedMin || covered === 0 || wins * 100 < covered * winPercent) return []
  if (realized < realizedLamports) return []
  const score = share(realized, fullLamports)
  return mints
    .toSorted((a, b) => byRealized(a, b) || (a.mint < b.mint ? -1 : 1))
    .slice(0, mintsMax)
    .map(({ tokenId }) => ({ tokenId, tag: 'smart_money', score }))
}

/** The greater first. */
function byRealized(a: MintWindow, b: MintWindow): number {
  if (a.realizedLamports === b.realizedLamports) return 0
  return a.realizedLamports > b.realizedLamports ? -1 : 1
}

function share(lamports: bigint, full: bigint): number {
  return lamports >= full ? 1 : divideSigned(lamports, full)
}

/** How long tags are good, in milliseconds. */
const TAGGED_FOR_MS = HOUR_MS

/**
 * Whether a wallet's tags are to be computed; `computedMs` null: never before. A time ahead of the clock is ignored.
 */
export function areTagsDue(computedMs: number | null, nowMs: number): boolean {
  if (computedMs === null) return true
  return computedMs <= tagsGoodSince(nowMs) || computedMs > latestMs(nowMs)
}

/** Tags that were computed later are good still. */
export function tagsGoodSince(nowMs: number): number {
  return nowMs - TAGGED_FOR_MS
}
