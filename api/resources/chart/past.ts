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
  type TokenClose,
  wantedCloses,
} from '../../../domain/wallet/portfolio-value.ts'
import { listPastDecimals } from '../../../history/swaps/tokens.ts'
import { listQuantities } from '../../../history/swaps/wallets.ts'
import { query } from '../../../sql/query.ts'
import { type AsOfReading, expectFoldable } from '../../routing/reading/as-of.ts'
import { pastRate } from '../past-market/prices.ts'
import { pastView } from '../past-market/view.ts'
import { changedSwaps, type PastWallet, pastWallet } from '../wallets/past.ts'
import {
  type DayValue,
  type DayValues,
  findHistory,
  listCloses,
  listMints,
  plannedBySpan,
} from './day-values.ts'

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
  const held = await plannedBySpan(db, slots, () => listQuantities(db, wanted))
  const closesWanted = wantedCloses(held, span)
  const [tokenIds] = closesWanted
  const closes = await pastCloses(past, closesWanted, new Set(changed))
  const worths = dayWorths(held, closes, await listMints(db, [tokenIds]), span)
  const closedToMs = lastClosedDay(latestMs, latestMs)
  const days: DayValue[] = worths.map((worth) => ({
    ...worth,
    isClosed: worth.dayMs <= closedToMs,
  }))
  return { days, solUsd: rate.rate, firstMs }
}

/** Closes as of the slot. Those of tokens whose pools no later swap changed are the same now. */
async function pastCloses(
  past: AsOfReading,
  [tokenIds, from, until]: ReturnType<typeof wantedCloses>,
  changed: ReadonlySet<number>,
): Promise<TokenClose[]> {
  const [later, still] = [true, false].map((isChanged) => {
    const own = tokenIds.flatMap((id, at) => (changed.has(id) === isChanged ? [at] : []))
    return [tokenIds, from, until].map((column) => own.map((at) => column[at]!))
  })
  const closes = still![0]!.length === 0 ? [] : await listCloses(past.db, still)
  const [ids] = later!
  if (ids!.length === 0) return closes
  const view = await pastView(past, { tokenIds: ids! })
  return [...closes, ...(await listCloses(view, later))]
}

/** The first_ms of chart/find_history, without a stored day: the first trade of a position is that by slot. */
async function firstTimeOf(past: AsOfReading, wallet: PastWallet): Promise<number> {
  const { db, slot } = past
  const { walletId, changed } = wallet
  const [start] = await findStart(db, [walletId, slot, changed])
  let firstMs = start?.first_ms ?? Number.POSITIVE_INFINITY
  let hourMs = start?.hour_ms ?? Number.POSITIVE_INFINITY
  const begun = new Set<number>()
  for await (const page of changedSwaps(past, wallet)) {
    for (const { tokenId, timestamp } of page) {
      if (!begun.has(tokenId)) firstMs = Math.min(firstMs, timestamp)
      begun.add(tokenId)
      hourMs = Math.min(hourMs, bucketOf(timestamp, HOUR_MS))
    }
  }
  return hourMs < dayStartMs(firstMs) ? hourMs : firstMs
}
