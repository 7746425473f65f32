/** Sums of the tokens that a wallet traded in some hours, from the hours of a fold. Pure. */
import type { Exact } from '../../../domain/amount.ts'
import type { HourFigures } from '../../../domain/ledger/hours.ts'
import type { WindowHours } from '../../../domain/time/wallet-window.ts'
import { type PnlMode, realizedBy } from '../../../domain/wallet/pnl-mode.ts'

export type Figures = {
  realized: Exact
  volume_lamports: Exact
  buy_count: number
  sell_count: number
  covered_sell_count: number
  win_count: number
}
export type TradedRow = Figures & { mint: string }
type Sums = { [Name in keyof Figures]: Figures[Name] extends number ? number : bigint }
type PageWanted = {
  sort: 'realized' | 'volume' | 'trades' | 'wins'
  limit: number
  offset: number
}

export class TradedSums {
  readonly #hours: WindowHours
  readonly #mode: PnlMode
  readonly #byToken = new Map<number, Sums>()
  /** Mints of the tokens that are not folded. */
  readonly #mints = new Map<number, string>()

  constructor(hours: WindowHours, mode: PnlMode) {
    this.#hours = hours
    this.#mode = mode
  }

  /** Hours outside of the window do not count. */
  add(tokenId: number, figures: HourFigures): void {
    if (figures.hourMs < this.#hours.firstMs || figures.hourMs > this.#hours.lastMs) return
    const sums = this.#byToken.get(tokenId) ?? zeros()
    this.#byToken.set(tokenId, sums)
    addTo(sums, {
      realized: realizedBy(this.#mode, figures),
      volume_lamports: figures.volumeLamports,
      buy_count: figures.buyCount,
      sell_count: figures.sellCount,
      covered_sell_count: figures.coveredSellCount,
      win_count: figures.winCount,
    })
  }

  /** The sums of a token that is not folded. */
  addStored(row: TradedRow & { token_id: number }): void {
    const sums = zeros()
    addTo(sums, {
      realized: BigInt(row.realized),
      volume_lamports: BigInt(row.volume_lamports),
      buy_count: row.buy_count,
      sell_count: row.sell_count,
      covered_sell_count: row.covered_sell_count,
      win_count: row.win_count,
    })
    this.#byToken.set(row.token_id, sums)
    this.#mints.set(row.token_id, row.mint)
  }

  /** Descending, ties by mint. `mints`: of the tokens that are folded, by id. */
  page(mints: ReadonlyMap<number, string>, { sort, limit, offset }: PageWanted) {
    const totals = zeros()
    for (const sums of this.#byToken.values()) addTo(totals, sums)
    const rows = Array.from(this.#byToken, ([tokenId, sums]) => ({
      ...sums,
      mint: this.#mints.get(tokenId) ?? mints.get(tokenId) ?? '',
    }))
    rows.sort((a, b) => compare(sortKey(b, sort), sortKey(a, sort)) || compare(a.mint, b.mint))
    return { total: rows.length, totals, rows: rows.slice(offset, offset + limit) }
  }
}

const zeros = (): Sums => ({
  ...{ realized: 0n, volume_lamports: 0n },
  ...{ buy_count: 0, sell_count: 0, covered_sell_count: 0, win_count: 0 },
})

function addTo(sums: Sums, more: Sums): void {
  sums.realized += more.realized
  sums.volume_lamports += more.volume_lamports
  sums.buy_count += more.buy_count
  sums.sell_count += more.sell_count
  sums.covered_sell_count += more.covered_sell_count
  sums.win_count += more.win_count
}

function sortKey(sums: Sums, sort: PageWanted['sort']): bigint | number {
  if (sort === 'volume') return sums.volume_lamports
  if (sort === 'trades') return sums.buy_count + sums.sell_count
  return sort === 'wins' ? sums.win_count : sums.realized
}

const compare = <Key extends bigint | number | string>(a: Key, b: Key): number =>
  a < b ? -1 : a > b ? 1 : 0
