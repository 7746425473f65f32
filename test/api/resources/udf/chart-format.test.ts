// Resolutions and price scales of UDF.
import test from 'ava'
import {
  ACCEPTED_RESOLUTIONS,
  BAR_RESOLUTIONS,
  priceScale,
  timeframeOf,
} from '../../../../api/resources/udf/chart-format.ts'
import { TIMEFRAMES, widthOf } from '../../../../domain/time/timeframe.ts'

test('every timeframe is a resolution, in minutes or days', (t) => {
  const expected = TIMEFRAMES.map((timeframe) => {
    const minutes = widthOf(timeframe) / 60_000
    return minutes < 1_440 ? String(minutes) : `${minutes / 1_440}D`
  })
  t.deepEqual(BAR_RESOLUTIONS, expected)
  t.deepEqual(BAR_RESOLUTIONS.map(timeframeOf), TIMEFRAMES)
  t.is(timeframeOf('D'), '1d')
  t.true(ACCEPTED_RESOLUTIONS.includes('D'))
  t.throws(() => timeframeOf('1W'), { instanceOf: RangeError })
})

test('a scale shows five digits of the price, within what JSON holds exactly', (t) => {
  for (const [price, scale] of [
    [0.00043, 10 ** 8],
    [0.0001, 10 ** 8],
    [0.00009999, 10 ** 9],
    [2.5e-8, 10 ** 12],
    [1, 10 ** 4],
    [123_456, 100],
    [1e-20, 10 ** 15],
    [0, 10 ** 12],
    [null, 10 ** 12],
  ] as const) {
    t.is(priceScale(price), scale, String(price))
    t.true(Number.isSafeInteger(priceScale(price)))
  }
})
