/**
 * Positions of every wallet, as /wallets/{wallet}/positions lists them, by wallet and mint; alongside the figures in SOL the
 * exact integers that they are divided from, by the names of the proof of a position (/lots).
 */
import { presentPosition } from '../../../api/resources/pnl/present.ts'
import type { PositionRow } from '../../../api/resources/pnl/read.ts'
import { position } from '../../../api/resources/pnl/schema.ts'
import { accountAddress, unbounded } from '../../../api/routing/schema.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { columnsOf, type Row } from '../columns.ts'
import { readCursor, type Table } from './table.ts'

type Stored = Omit<PositionRow, 'price' | 'decimals'> & { wallet: string; token_id: number }
type Priced = { token_id: number; price: number | null; decimals: number }

const openPositions = query('export/open_positions')
const listPrices = query<Priced>('export/list_prices', { isPlannedAnew: true })
const findRate = query<{ sol_usd: number | null }>('chart/find_rate')

const lamports = (description: string) => unbounded({ description: `${description}, lamports` })
const { realized_breakdown: _, ...shown } = position.properties
const EXACT = {
  buys_lamports: lamports('Spent'),
  sells_lamports: lamports('Received'),
  realized_raw_lamports: lamports('sells - buys'),
  realized_strict_lamports: lamports('Sum over sells'),
  realized_adjusted_lamports: lamports('Sum over sells'),
  cost_basis_strict_lamports: lamports('Sum of the remaining costs of the open lots'),
  cost_basis_adjusted_lamports: lamports('Remaining cost by the running average'),
  uncovered_sell_quantity: unbounded({ description: 'Sold beyond the balance, base units' }),
  uncovered_sell_lamports: lamports('Proceeds of that'),
}

export const positions: Table = {
  columns: columnsOf({
    wallet: accountAddress({ description: 'Wallet' }),
    ...shown,
    ...EXACT,
  }),
  async *read(db, { fromMs, toMs, mode }) {
    const [found] = await findRate(db)
    const rate = found?.sol_usd ?? null
    for await (const rows of readCursor<Stored>(db, 'positions', openPositions, [fromMs, toMs])) {
      const priced = await pricesOf(db, rows)
      yield rows.map((row): Row => {
        const { price = null, decimals = 0 } = priced.get(row.token_id) ?? {}
        const view = { pnl_mode: mode, breakdown: false }
        const { realized_breakdown: _, ...fields } = presentPosition(
          { ...row, price, decimals },
          view,
          rate,
        )
        return { wallet: row.wallet, ...fields, ...exactOf(row) }
      })
    }
  },
}

async function pricesOf(db: Queryable, rows: readonly Stored[]): Promise<Map<number, Priced>> {
  const tokenIds = [...new Set(rows.map(({ token_id }) => token_id))]
  const priced = await listPrices(db, [tokenIds])
  return new Map(priced.map((each) => [each.token_id, each]))
}

function exactOf(row: Stored): Record<keyof typeof EXACT, bigint> {
  return {
    buys_lamports: BigInt(row.buys_lamports),
    sells_lamports: BigInt(row.sells_lamports),
    realized_raw_lamports: BigInt(row.sells_lamports) - BigInt(row.buys_lamports),
    realized_strict_lamports: BigInt(row.realized_strict),
    realized_adjusted_lamports: BigInt(row.realized_adjusted),
    cost_basis_strict_lamports: BigInt(row.lots_cost),
    cost_basis_adjusted_lamports: BigInt(row.basis),
    uncovered_sell_quantity: BigInt(row.uncovered_quantity),
    uncovered_sell_lamports: BigInt(row.uncovered_lamports),
  }
}
