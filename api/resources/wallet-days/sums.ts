/** Sums of a wallet's days from the hours of a fold, together with those of stored rows. Pure. */
import type { Exact, Int64 } from '../../../domain/amount.ts'
import type { HourFigures } from '../../../domain/ledger/hours.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { type PnlMode, realizedBy } from '../../../domain/wallet/pnl-mode.ts'

/** Lamports; a UTC day with a trade. */
export type DayRow = {
  day_ms: number
  realized: Exact
  /** Realized by the mode that the cost basis goes by. */
  profit: Exact
  flow: Exact
  volume_lamports: Exact
  buy_count: Int64
  sell_count: Int64
  covered_sell_count: Int64
  win_count: Int64
  token_count: number
}

type Sums = { row: DayRow; tokenIds: Set<number> }

export class DaySums {
  readonly #mode: PnlMode
  readonly #days: { fromMs: number; toMs: number }
  readonly #byDay = new Map<number, Sums>()

  /** `days`: first and last, by the ms with which they begin. */
  constructor(mode: PnlMode, days: { fromMs: number; toMs: number }) {
    this.#mode = mode
    this.#days = days
  }

  /** Hours of other days do not count. */
  add(tokenId: number, figures: HourFigures): void {
    const dayMs = Math.floor(figures.hourMs / DAY_MS) * DAY_MS
    if (dayMs < this.#days.fromMs || dayMs > this.#days.toMs) return
    const { row, tokenIds } = this.#byDay.get(dayMs) ?? { row: noTrade(dayMs), tokenIds: new Set() }
    tokenIds.add(tokenId)
    const profit = this.#mode === 'strict' ? figures.realizedStrict : figures.realizedAdjusted
    const more = {
      ...{ day_ms: dayMs, realized: realizedBy(this.#mode, figures), profit, token_count: 0 },
      ...{ flow: figures.realizedRaw, volume_lamports: figures.volumeLamports },
      ...{ buy_count: figures.buyCount, sell_count: figures.sellCount },
      ...{ covered_sell_count: figures.coveredSellCount, win_count: figures.winCount },
    }
    this.#byDay.set(dayMs, { row: sumOf(row, more), tokenIds })
  }

  /** The days of both, oldest first; `rows` are of other tokens. */
  with(rows: readonly DayRow[]): DayRow[] {
    const days = new Map(rows.map((row) => [row.day_ms, row]))
    for (const [dayMs, { row, tokenIds }] of this.#byDay) {
      const folded = { ...row, token_count: tokenIds.size }
      days.set(dayMs, sumOf(days.get(dayMs) ?? noTrade(dayMs), folded))
    }
    return [...days.values()].sort((a, b) => a.day_ms - b.day_ms)
  }
}

export const noTrade = (dayMs: number): DayRow => ({
  ...{ day_ms: dayMs, realized: 0n, profit: 0n, flow: 0n, volume_lamports: 0n },
  ...{ buy_count: 0, sell_count: 0, covered_sell_count: 0, win_count: 0, token_count: 0 },
})

const sumOf = (one: DayRow, other: DayRow): DayRow => ({
  day_ms: one.day_ms,
  realized: BigInt(one.realized) + BigInt(other.realized),
  profit: BigInt(one.profit) + BigInt(other.profit),
  flow: BigInt(one.flow) + BigInt(other.flow),
  volume_lamports: BigInt(one.volume_lamports) + BigInt(other.volume_lamports),
  buy_count: Number(one.buy_count) + Number(other.buy_count),
  sell_count: Number(one.sell_count) + Number(other.sell_count),
  covered_sell_count: Number(one.covered_sell_count) + Number(other.covered_sell_count),
  win_count: Number(one.win_count) + Number(other.win_count),
  token_count: one.token_count + other.token_count,
})
