/**
 * The table of timeframes: the width of each and the stored candles that it is merged from, against hand-written
 * values.
 */
import test from 'ava'
import { TABLE_WIDTHS_MS, TIMEFRAMES, tableOf, widthOf } from '../../../domain/time/timeframe.ts'

const MINUTE_MS = 60_000

test('each timeframe has its width and is merged from the widest candles that divide it', (t) => {
  const found = TIMEFRAMES.map((name) => `${name} ${widthOf(name) / MINUTE_MS} ${tableOf(name)}`)
  t.deepEqual(found, ['1m 1 1m', '5m 5 1m', '15m 15 15m', '1h 60 15m', '4h 240 4h', '1d 1440 4h'])
})

test('timeframes ascend and are whole numbers of their stored candles', (t) => {
  const widths = TIMEFRAMES.map(widthOf)
  t.deepEqual(
    widths,
    [...new Set(widths)].sort((a, b) => a - b),
  )
  for (const name of TIMEFRAMES) t.is(widthOf(name) % TABLE_WIDTHS_MS[tableOf(name)], 0, name)
})
