/** Swaps in canonical order, as /swaps lists them. */
import { presentSwap } from '../../../api/resources/swaps/present.ts'
import { swap } from '../../../api/resources/swaps/schema.ts'
import type { ServedSwap } from '../../../history/swaps/served-swap.ts'
import { query } from '../../../sql/query.ts'
import { columnsOf } from '../columns.ts'
import { readCursor, slotsOf, type Table } from './table.ts'

const openSwaps = query('export/open_swaps')
const planStreamed = query('export/plan_streamed')

export const swaps: Table = {
  columns: columnsOf(swap.properties),
  async *read(db, { fromMs, toMs }) {
    const slots = await slotsOf(db, fromMs, toMs)
    if (slots === undefined) return
    await planStreamed(db)
    const parameters = [slots.low_slot, slots.high_slot, fromMs, toMs]
    for await (const rows of readCursor<ServedSwap>(db, 'swaps', openSwaps, parameters)) {
      yield rows.map(presentSwap)
    }
  },
}
