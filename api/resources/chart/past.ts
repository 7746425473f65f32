/**
 * Value of a wallet's holdings at the ends of days as of a slot. Every day is computed, closed ones too: a stored day was computed
 * from the swaps of its time, some of which may be of later slots.
 */
import { bucketOf, HOUR_MS } from '../../../domain/time/time-bucket.ts'
import { dayStartMs } from '../../../domain/time/utc-day.ts'
import {
  type DaySpan,
  dayWorths,
  lastClosedDay,
  wantedCloses,
} from '../../../domain/wallet/portfolio-value.ts'
import { listPastDecimals } from '../../../history/swaps/tokens.ts'
import { listQuantities } from '../../../history/swaps/wallets.ts'
import { query } from '../../../sql/query.ts'
import { type AsOfReading, expectFoldable } from '../../routing/reading/as-of.ts'
import { pastRate } from '../past-market/prices.ts'
import { pastView } from '../past-market/view.ts'
import { ledgerSwaps } from '../wallets/ledger-swaps.ts'
import { type PastWallet, pastWallet } from '../wallets/past.ts'
import { type DayValue, type DayValues, findHistory, listCloses, listMints } from './day-values.ts'

const findStart = query<{ first_ms: number | null; hour_ms: number | null }>('chart/find_start')
const listChangedTokens = query<{ token_id: number }>('chart/list_changed_tokens')
const sumSwaps = query<{ swap_count: number }>('chart/count_swaps')

/** The same as readDayValues returns of now: the last day is that of the latest swap up to the slot. Throws ApiError where the swaps are too many. */
export async function readPastDayValues(
  past: AsOfReading,
  { wallet: user, fromMs, toMs }: DaySpan & { wallet: string },
): Promise<DayValues> {
  const { db, slot } = past
  const [wallet, latestMs, rate] = await Promise.all([
    pastWallet(past, user),
    past.latestMs(),
    pastRate(past),
  ])
  const [history] = await findHistory(db, [user])
  if (wallet === undefined || latestMs === null || history === undefined) {
    return { days: [], solUsd: rate.rate }
  }
  const { walletId } = wallet
  const [counted] = await sumSwaps(db, [walletId])
  expectFoldable(past, Number(counted?.swap_count))
  const firstMs = await firstTimeOf(past, wallet)
  const span = {
    fromMs: Math.max(fromMs, dayStartMs(firstMs)),
    toMs: Math.min(toMs, dayStartMs(latestMs)),
  }
  if (span.fromMs > span.toMs) return { days: [], solUsd: rate.rate, firstMs }
  const changed = (await listChangedTokens(db, [walletId, slot])).map(({ token_id }) => token_id)
  const decimals =
    changed.length === 0 ? new Map<number, number>() : await listPastDecimals(db, changed, slot)
  const slots = { low: history.low_slot ?? 0, high: slot }
  const wanted = { walletId, ...slots, ...span, tokenIds: null, decimals }
  const held = await listQuantities(db, wanted, 'connection')
  const closesWanted = wantedCloses(held, span)
  const [tokenIds] = closesWanted
  const view = await pastView(past, { tokenIds })
  const closes = await listCloses(view, closesWanted)
  const worths = dayWorths(held, closes, await listMints(db, [tokenIds]), span)
  const closedToMs = lastClosedDay(latestMs, latestMs)
  const days: DayValue[] = worths.map((worth) => ({
    ...worth,
    isClosed: worth.dayMs <= closedToMs,
  }))
  return { days, solUsd: rate.rate, firstMs }
}

/** The first_ms of chart/find_history, without a stored day: the first trade of a position is that by slot. */
async function firstTimeOf(
  { db, slot }: AsOfReading,
  { walletId, changed, swaps }: PastWallet,
): Promise<number> {
  const [start] = await findStart(db, [walletId, slot, changed])
  let firstMs = start?.first_ms ?? Number.POSITIVE_INFINITY
  let hourMs = start?.hour_ms ?? Number.POSITIVE_INFINITY
  const begun = new Set<number>()
  const pages = swaps === undefined ? [] : ledgerSwaps(db, swaps)
  for await (const page of pages) {
    for (const { tokenId, timestamp } of page) {
      if (!begun.has(tokenId)) firstMs = Math.min(firstMs, timestamp)
      begun.add(tokenId)
      hourMs = Math.min(hourMs, bucketOf(timestamp, HOUR_MS))
    }
  }
  return hourMs < dayStartMs(firstMs) ? hourMs : firstMs
}
