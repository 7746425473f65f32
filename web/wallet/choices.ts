/** The choices of the page that several of its parts follow, both in the address. */

import { DAY_MS } from '../../domain/time/time-bucket.ts'
import { dateOf, dayStartMs } from '../../domain/time/utc-day.ts'
import { WALLET_WINDOWS, type WalletWindow, WINDOW_DAYS } from '../../domain/time/wallet-window.ts'
import { PNL_MODES, type PnlMode } from '../../domain/wallet/pnl-mode.ts'
import { choiceOf } from '../client/location.ts'

export const USUAL_MODE = 'adjusted'
export const USUAL_PERIOD = '30d'

/** Modes as the notes of the panels explain them. */
export const MODE_TEXTS: Readonly<Record<PnlMode, string>> = {
  raw: 'raw: cash flow',
  strict: 'strict: oldest lots first',
  adjusted: 'adjusted: weighted average cost',
}

export const chosenMode = (): PnlMode => choiceOf('pnl_mode', PNL_MODES, USUAL_MODE)
export const chosenPeriod = (): WalletWindow => choiceOf('period', WALLET_WINDOWS, USUAL_PERIOD)

/** UTC date of the first day of a period that ends today: today and so many days before it. */
export const firstDateOf = (period: WalletWindow, nowMs: number): string =>
  dateOf(firstMsOf(period, nowMs))

/** Unix ms of its begin; that of 1970 where the period is all time. */
export function firstMsOf(period: WalletWindow, nowMs: number): number {
  const days = WINDOW_DAYS[period]
  return Number.isFinite(days) ? dayStartMs(nowMs) - days * DAY_MS : 0
}
