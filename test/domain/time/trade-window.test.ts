/** The table of trailing windows: their widths and the readers that serve each, against hand-written values. */
import test from 'ava'
import { DAY_MINUTES } from '../../../domain/time/time-bucket.ts'
import {
  MARKET_WINDOWS,
  MOVER_TIMEFRAMES,
  STATS_WINDOWS,
  WINDOW_MINUTES,
  WINDOW_NAMES,
} from '../../../domain/time/trade-window.ts'

test('each window has its width and is served by its readers', (t) => {
  const readersOf = (window: string): string[] =>
    Object.entries({ movers: MOVER_TIMEFRAMES, stats: STATS_WINDOWS, market: MARKET_WINDOWS })
      .filter(([, windows]) => (windows as readonly string[]).includes(window))
      .map(([reader]) => reader)
  const windows = WINDOW_NAMES.map((name) =>
    [name, WINDOW_MINUTES[name], ...readersOf(name)].join(' '),
  )
  t.deepEqual(windows, [
    '1m 1',
    '5m 5 movers stats',
    '15m 15 movers',
    '1h 60 movers stats market',
    '4h 240 movers',
    '6h 360 stats',
    '24h 1440 movers stats market',
  ])
})

test('windows ascend and are at most a day long, as the ranking requires', (t) => {
  const minutes = WINDOW_NAMES.map((name) => WINDOW_MINUTES[name])
  t.deepEqual(
    minutes,
    [...new Set(minutes)].sort((a, b) => a - b),
  )
  t.true(minutes.every((width) => width >= 1 && width <= DAY_MINUTES))
})
