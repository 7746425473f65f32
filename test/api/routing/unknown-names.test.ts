// Names that users of such APIs try, and the suggestions derived from the parameters of the routes. Pure.

import test from 'ava'
import { recordedExamples } from '../../../api/examples/recorded.ts'
import { candleRoutes } from '../../../api/resources/candles/routes.ts'
import { leaderboardRoutes } from '../../../api/resources/leaderboard/routes.ts'
import { poolEventRoutes } from '../../../api/resources/pool-events/routes.ts'
import { swapRoutes } from '../../../api/resources/swaps/routes.ts'
import { tokenStatsRoutes } from '../../../api/resources/token-stats/routes.ts'
import { trendingRoutes } from '../../../api/resources/trending/routes.ts'
import { walletRoutes } from '../../../api/resources/wallets/routes.ts'
import { ApiError } from '../../../api/routing/error.ts'
import type { Route } from '../../../api/routing/route.ts'

const ROUTES: readonly Route[] = [
  ...swapRoutes,
  ...candleRoutes,
  ...poolEventRoutes,
  ...tokenStatsRoutes,
  ...trendingRoutes,
  ...walletRoutes,
  ...leaderboardRoutes({ now: Date.now }),
]

const SUGGESTED: readonly [path: string, names: string, meant: string | null][] = [
  [
    '/swaps',
    'token mint Token_Address tokenAddress token-address contract tokn_address',
    'token_address',
  ],
  ['/swaps', 'pool pair market pairAddress PAIR_ADDRESS pool_address', 'pair_address'],
  ['/swaps', 'wallet trader owner User walletAddress maker', 'user'],
  ['/swaps', 'offset page skip next_cursor after', 'cursor'],
  ['/swaps', 'side type swap_type isBuy', 'is_buy'],
  ['/swaps', 'venue protocol Dex', 'dex'],
  ['/swaps', 'minSol min_amount min', 'min_sol'],
  ['/swaps', 'count per_page size LIMIT limt limits', 'limit'],
  ['/swaps', 'sort order_by', 'order'],
  ['/swaps', 'address foo q __proto__ constructor ohlcv', null],
  ['/swaps/range', 'start since startTime start_date From form', 'from'],
  ['/swaps/range', 'end until before endTime', 'to'],
  ['/swaps/trader/{wallet}', 'user owner', null],
  ['/api/v1/candles', 'start after', 'from'],
  ['/api/v1/candles', 'end before', 'to'],
  ['/api/v1/candles', 'interval resolution period granularity timeFrame', 'timeframe'],
  ['/price/history/range', 'interval timeframe', 'resolution'],
  ['/pool-events', 'mint', 'token_address'],
  ['/pool-events', 'events Event', 'event'],
  ['/trending', 'windows extraWindows', 'extra_windows'],
  ['/trending', 'period timeframe interval', 'window'],
  ['/stats/tokens', 'mint tokens mints[]', 'mints'],
  ['/wallets/{w}/stats', 'period', 'window'],
  ['/v2/pnl/leaderboard/top', 'window timeframe', 'period'],
]

const MARKET = recordedExamples().market

for (const [path, names, meant] of SUGGESTED) {
  const said = meant === null ? 'lists the known names' : `suggests "${meant}"`
  test(`${said} on ${path} for ${names}`, (t) => {
    const route = ROUTES.find((each) => each.path === path)
    if (route === undefined) return t.fail(`no route ${path}`)
    const requested = Object.entries(route.example(MARKET)).map(([name, value]) => [
      name,
      String(value),
    ])
    for (const name of names.split(' ')) {
      // The query of a URL is parsed to an object without a prototype.
      const given = Object.assign(Object.create(null), Object.fromEntries(requested), {
        [name]: '1',
      })
      const error = t.throws(() => route.parse(given), { instanceOf: ApiError }, name)
      t.is(error?.code, 'INVALID_PARAM')
      const expected = meant === null ? ': use one of ' : `: did you mean "${meant}"?`
      t.true(error?.message.startsWith(`unknown parameter "${name}"${expected}`), error?.message)
    }
  })
}

test('a name may hold a key, or have no end: neither is repeated', (t) => {
  const [swaps] = swapRoutes as [Route]
  const key = `ohlcv_test_sk_${'a'.repeat(48)}`
  for (const name of [key, 'x'.repeat(8_000), '\u{1f600}'.repeat(999)]) {
    const error = t.throws(() => swaps.parse({ [name]: '1' }), { instanceOf: ApiError })
    t.false(error?.message.includes('a'.repeat(48)))
    t.true(error?.message.isWellFormed())
    t.true((error?.message.length ?? 0) < 400)
  }
})
