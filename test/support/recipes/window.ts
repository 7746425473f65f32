/** Adds a window of 12 hours. */
import type { Edit } from './edit.ts'

export const WINDOW: readonly Edit[] = [
  {
    recipe: 'window',
    step: 1,
    path: 'domain/time/trade-window.ts',
    old: "  { name: '24h'",
    text: "  { name: '12h', minutes: 12 * HOUR_MINUTES, servedBy: ['movers', 'stats', 'market'] },\n  { name: '24h'",
  },
  {
    recipe: 'window',
    step: 2,
    path: 'test/domain/time/trade-window.test.ts',
    old: "    '24h 1440",
    text: "    '12h 720 movers stats market',\n    '24h 1440",
  },
]
