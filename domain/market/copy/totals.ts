/** Totals of a copy back-test. The sum of its trades is equal to its totals. */
import { divideExact } from '../../amount.ts'
import type { Bounds } from '../evidence.ts'
import { NONE, plus } from './ledger.ts'
import type { Copied, CopyRun, CopyStatus, Valued } from './run.ts'

export type CopyTotals = {
  readonly statuses: ReadonlyMap<CopyStatus, number>
  readonly exact: number
  readonly bounded: number
  readonly unpriced: number
  /** Filled orders whose fees outside the legs are assumed. */
  readonly feeAssumed: number
  /** Shares of the orders that would have been made, and of their leaders' lamports; undefined without any. */
  readonly exactShare: number | undefined
  readonly exactShareSol: number | undefined
  readonly spent: bigint
  readonly proceeds: Bounds
  readonly outsideFees: bigint
  readonly transactionFees: bigint
  readonly rent: bigint
  readonly value: Bounds
  readonly pnl: Bounds
  readonly capitalNeeded: bigint
  readonly sells: number
  readonly wins: { readonly low: number; readonly high: number }
  readonly open: readonly Valued[]
}

/** `copied`: all orders that the run took. */
export function copyTotals(run: CopyRun, copied: readonly Copied[]): CopyTotals {
  const { spent, proceeds, outsideFees, transactionFees, rent, deepest } = run.ledger
  const open = run.valued()
  const value = open.reduce((sum, each) => plus(sum, each.value), NONE)
  const paid = spent + transactionFees + rent
  const sold = copied.flatMap(({ realized }) => (realized === undefined ? [] : [realized]))
  return {
    ...priced(copied),
    ...{ spent, proceeds, outsideFees, transactionFees, rent, value, capitalNeeded: deepest },
    pnl: {
      low: proceeds.low + value.low - paid,
      high: proceeds.high + value.high - paid,
    },
    sells: sold.length,
    wins: {
      low: sold.filter(({ low }) => low > 0n).length,
      high: sold.filter(({ high }) => high > 0n).length,
    },
    open,
  }
}

const kindOf = (status: CopyStatus) => (status.startsWith('unpriced:') ? 'unpriced' : status)

function priced(copied: readonly Copied[]) {
  const statuses = new Map<CopyStatus, number>()
  const counts = { exact: 0, bounded: 0, unpriced: 0 }
  const lamports = { exact: 0n, bounded: 0n, unpriced: 0n }
  for (const { status, order } of copied) {
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const kind = kindOf(status)
    if (kind !== 'exact' && kind !== 'bounded' && kind !== 'unpriced') continue
    counts[kind]++
    lamports[kind] += order.lamports
  }
  const all = counts.exact + counts.bounded + counts.unpriced
  const sol = lamports.exact + lamports.bounded + lamports.unpriced
  return {
    ...{ statuses, ...counts },
    feeAssumed: copied.filter(({ isFeeAssumed }) => isFeeAssumed).length,
    exactShare: all === 0 ? undefined : counts.exact / all,
    exactShareSol: sol === 0n ? undefined : divideExact(lamports.exact, sol),
  }
}
