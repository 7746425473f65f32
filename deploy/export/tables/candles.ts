/** Candles of every pool, as /api/v1/candles lists them: those with a price, by time and pool. */
import type { PoolNames, PricedRow } from '../../../api/resources/candles/candle-lines.ts'
import { presentCandle } from '../../../api/resources/candles/present.ts'
import { candle } from '../../../api/resources/candles/schema.ts'
import { bucketOf } from '../../../domain/time/time-bucket.ts'
import { STORED_WIDTHS, TABLE_WIDTHS_MS, tableOf, widthOf } from '../../../domain/time/timeframe.ts'
import { variants } from '../../../sql/query.ts'
import { columnsOf } from '../columns.ts'
import { readCursor, type Table } from './table.ts'

const STORED = variants('export/open_candles', STORED_WIDTHS)
const MERGED = variants('export/open_merged_candles', STORED_WIDTHS)

export const candles: Table = {
  columns: columnsOf(candle.properties),
  async *read(db, { fromMs, toMs, timeframe }) {
    const [width, stored] = [widthOf(timeframe), tableOf(timeframe)]
    // Buckets count whole, as in the API.
    const end = typeof toMs === 'number' ? bucketOf(toMs, width) + width : toMs
    const range = [bucketOf(fromMs, width), end]
    const isStored = width === TABLE_WIDTHS_MS[stored]
    const open = isStored ? STORED[stored] : MERGED[stored]
    const parameters = isStored ? range : [...range, width]
    for await (const rows of readCursor<PricedRow & PoolNames>(db, 'candles', open, parameters)) {
      yield rows.map((row) => presentCandle(row, row, timeframe))
    }
  },
}
