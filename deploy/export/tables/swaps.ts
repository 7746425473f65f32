/** Swaps in canonical order, as /swaps lists them. */
import { presentSwap } from '../../../api/resources/swaps/present.ts'
import { swap } from '../../../api/resources/swaps/schema.ts'
import { exportedSwaps } from '../../../history/swaps/scan/all.ts'
import { query } from '../../../sql/query.ts'
import { columnsOf } from '../columns.ts'
import { slotsOf, type Table } from './table.ts'

const planStreamed = query('export/plan_streamed')

export const swaps: Table = {
  columns: columnsOf(swap.properties),
  async *read(db, { fromMs, toMs }) {
    const slots = await slotsOf(db, fromMs, toMs)
    if (slots === undefined) return
    await planStreamed(db)
    const range = { low: slots.low_slot, high: slots.high_slot, fromMs, toMs }
    for await (const rows of exportedSwaps(db, range)) {
      yield rows.map(presentSwap)
    }
  },
}
