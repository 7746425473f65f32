/** Adds candles of 30 minutes. */
import type { Edit } from './edit.ts'

export const TIMEFRAME: readonly Edit[] = [
  {
    recipe: 'timeframe of candles',
    step: 1,
    path: 'domain/time/timeframe.ts',
    old: "  '1h': HOUR_MS,\n",
    text: "  '30m': 2 * QUARTER_MS,\n  '1h': HOUR_MS,\n",
  },
  {
    recipe: 'timeframe of candles',
    step: 2,
    path: 'test/domain/time/timeframe.test.ts',
    old: "  t.deepEqual(found, ['1m 1 1m', '5m 5 1m', '15m 15 15m', '1h 60 15m', '4h 240 4h', '1d 1440 4h'])\n",
    text: `  t.deepEqual(found, [
    '1m 1 1m',
    '5m 5 1m',
    '15m 15 15m',
    '30m 30 15m',
    '1h 60 15m',
    '4h 240 4h',
    '1d 1440 4h',
  ])
`,
  },
  {
    recipe: 'timeframe of candles',
    step: 3,
    path: 'test/api/resources/candles/candles.test.ts',
    old: "  '1h': 60 * MINUTE,\n",
    text: "  '30m': 30 * MINUTE,\n  '1h': 60 * MINUTE,\n",
  },
]
