/**
 * Value of a wallet's holdings at the ends of days as of a slot.
 *
 * Law: a stored day is used where it is what the swaps up to the slot make it: it was computed from all present swaps up to its end,
 * none of which is after the slot. All other days are computed.
 * Decision: docs/decisions/0131-closed-days-count-their-changes.md
 */
import { bucketOf, DAY_MS, HOUR_MS } from '../../../domain/time/time-bucket.ts'
import { dayStartMs } from '../../../domain/time/utc-day.ts'
import {
  type DaySpan,
  type DayWorth,
  lastClosedDay,
  missingSpan,
  type TokenClose,
  type wantedCloses,
} from '../../../domain/wallet/portfolio-value.ts'
import { listPastDecimals } from '../../../history/swaps/tokens.ts'
import { query } from '../../../sql/query.ts'
import { type AsOfReading, expectFoldable } from '../../routing/reading/as-of.ts'
import { pastRate } from '../past-market/prices.ts'
import { pastView } from '../past-market/view.ts'
import { changedSwaps, type PastWallet, pastWallet } from '../wallets/past.ts'
import {
  type ChartDeps,
  type DayValue,
  type DayValues,
  findHistory,
  listCloses,
  plannedBySpan,
  storedQuantities,
  worthOf,
} from './day-values.ts'

type StartRow = { first_ms: number | null; hour_ms: number | null; swap_count: number }
type ChangedRow = { token_id: number; is_later: boolean; decimals: number | null }
/**
 * Tokens of the wallet's positions whose rows may be of later. `later`: a pool has a swap after the slot; `decimals`: as of the slot,
 * of these; `restated`: tokens whose decimals are not the same in all pools, now and as of the slot.
 */
type ChangedTokens = {
  later: ReadonlySet<number>
  decimals: ReadonlyMap<number, number>
  restated: ReadonlySet<number>
}
type Found = { past: AsOfReading; wallet: PastWallet; tokens: ChangedTokens; lowSlot: number }

const findStart = query<StartRow>('chart/find_start')
const listChangedTokens = query<ChangedRow>('chart/list_changed_tokens')
const listCurrentDays = query<{ day_ms: number; value_sol: number }>('chart/list_current_days')

/**
 * The same, and what is read `beside` them: at the same time where neither folds changed positions, whose swaps are walked one
 * walk at a time.
 */
export async function readPastDayValuesWith<Beside>(
  past: AsOfReading,
  wanted: DaySpan & { wallet: string },
  deps: Pick<ChartDeps, 'now' | 'requestDays'>,
  beside: () => Promise<Beside>,
): Promise<DayValues & { beside: Beside }> {
  const wallet = await pastWallet(past, wanted.wallet)
  if (wallet?.swaps !== undefined) {
    const values = await readPastDayValues(past, wanted, deps)
    return { ...values, beside: await beside() }
  }
  const [values, besides] = await Promise.all([readPastDayValues(past, wanted, deps), beside()])
  return { ...values, beside: besides }
}

/** The same as readDayValues returns of now: the last day is that of the latest swap up to the slot. Throws ApiError where the swaps are too many. */
export async function readPastDayValues(
  past: AsOfReading,
  { wallet: user, fromMs, toMs }: DaySpan & { wallet: string },
  { now, requestDays }: Pick<ChartDeps, 'now' | 'requestDays'>,
): Promise<DayValues> {
  const { db, slot } = past
  const [wallet, latestMs, { rate: solUsd }, [history], earliestLaterMs] = await Promise.all([
    pastWallet(past, user),
    past.latestMs(),
    pastRate(past),
    findHistory(db, [user]),
    past.earliestLaterMs(),
  ])
  if (wallet === undefined || latestMs === null || history === undefined) {
    return { days: [], solUsd }
  }
  const { walletId, changed } = wallet
  const [[start], tokens] = await Promise.all([
    findStart(db, [walletId, slot, changed]),
    changedTokens(past, walletId),
  ])
  expectFoldable(past, Number(start?.swap_count))
  const firstMs = await firstTimeOf(past, wallet, start)
  const span = {
    fromMs: Math.max(fromMs, dayStartMs(firstMs)),
    toMs: Math.min(toMs, dayStartMs(latestMs)),
  }
  if (span.fromMs > span.toMs) return { days: [], solUsd, firstMs }
  const untilMs = earliestLaterMs ?? Number.POSITIVE_INFINITY
  const storedTo = Math.min(span.toMs, dayStartMs(untilMs) - DAY_MS)
  const stored =
    tokens.restated.size > 0 ? [] : await listCurrentDays(db, [walletId, span.fromMs, storedTo])
  const known = stored.map(({ day_ms, value_sol }) => ({ dayMs: day_ms, valueSol: value_sol }))
  const open = missingSpan(
    span,
    known.map(({ dayMs }) => dayMs),
  )
  const storableTo = Math.min(storedTo, lastClosedDay(history.newest_ms, now()))
  if (tokens.restated.size === 0 && open !== undefined && open.fromMs <= storableTo) {
    requestDays?.(user)
  }
  const found = { past, wallet, tokens, lowSlot: history.low_slot ?? 0 }
  const computed = open === undefined ? [] : await pastWorths(found, open)
  const closedToMs = lastClosedDay(latestMs, latestMs)
  const days = [...known.filter(({ dayMs }) => !isIn(open, dayMs)), ...computed]
    .sort((a, b) => a.dayMs - b.dayMs)
    .map((worth): DayValue => ({ ...worth, isClosed: worth.dayMs <= closedToMs }))
  return { days, solUsd, firstMs }
}

const isIn = (span: DaySpan | undefined, dayMs: number): boolean =>
  span !== undefined && span.fromMs <= dayMs && dayMs <= span.toMs

async function changedTokens(past: AsOfReading, walletId: number): Promise<ChangedTokens> {
  const { db, slot } = past
  const rows = await listChangedTokens(db, [walletId, slot])
  const later = rows.flatMap((row) => (row.is_later ? [row.token_id] : []))
  const decimals =
    later.length === 0 ? new Map<number, number>() : await listPastDecimals(db, later, slot)
  const restated = rows.filter(
    (row) => row.decimals === null || row.decimals !== (decimals.get(row.token_id) ?? row.decimals),
  )
  return { later: new Set(later), decimals, restated: new Set(restated.map((row) => row.token_id)) }
}

async function pastWorths(found: Found, span: DaySpan): Promise<DayWorth[]> {
  const { past, wallet, tokens, lowSlot: low } = found
  const slots = { low, high: past.slot }
  const wanted = { walletId: wallet.walletId, ...slots, ...span, decimals: tokens.decimals }
  const others = { changed: wallet.changed, restated: tokens.restated }
  const held = await plannedBySpan(past.db, slots, () => storedQuantities(past.db, wanted, others))
  return worthOf(past.db, held, span, (closes) => pastCloses(past, closes, tokens.later))
}

/** Closes as of the slot. Those of tokens whose pools no later swap changed are the same now. */
async function pastCloses(
  past: AsOfReading,
  wanted: ReturnType<typeof wantedCloses>,
  changed: ReadonlySet<number>,
): Promise<TokenClose[]> {
  const [tokenIds] = wanted
  const columnsOf = (isChanged: boolean) => {
    const own = tokenIds.flatMap((id, at) => (changed.has(id) === isChanged ? [at] : []))
    return wanted.map((column) => own.map((at) => column[at]!))
  }
  const [still, later] = [columnsOf(false), columnsOf(true)]
  const viewed = { tokenIds: later[0]!, isPlannedBySetting: true }
  const ofView = async () => listCloses(await pastView(past, viewed), later)
  const lists = await Promise.all([
    still[0]!.length === 0 ? [] : listCloses(past.db, still),
    later[0]!.length === 0 ? [] : ofView(),
  ])
  return lists.flat()
}

/** The first_ms of chart/find_history, without a stored day: the first trade of a position is that by slot. */
async function firstTimeOf(
  past: AsOfReading,
  wallet: PastWallet,
  start: StartRow | undefined,
): Promise<number> {
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
