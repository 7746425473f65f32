/** The list of declared routes: OpenAPI, GraphQL, MCP, limits and `interface.txt` follow from it. */

import type { BalanceProvider, MintProvider } from '../chain/accounts/providers.ts'
import type { Log } from '../domain/log.ts'
import type { VenueNaming } from '../domain/venue.ts'
import type { JobRequests } from '../streams/jobs/job.ts'
import type { Operations } from './admin/operations.ts'
import type { Samples } from './admin/samples/sampling.ts'
import { adminRoutes } from './admin/v1/routes.ts'
import type { Usage } from './gateway/limits/usage.ts'
import { ingestSchemaRoute } from './openapi/ingest-schema.ts'
import type { LeastSlotAfter } from './resources/as-of/current-slot.ts'
import { asOfSource } from './resources/as-of/read.ts'
import { slotRoutes } from './resources/as-of/routes.ts'
import { auditRoutes } from './resources/audit/routes.ts'
import { type BacktestOptions, backtestRoutes } from './resources/backtest/routes.ts'
import { batchRoutes } from './resources/batches/routes.ts'
import { candleRoutes } from './resources/candles/routes.ts'
import { daysRequester } from './resources/chart/request-days.ts'
import { chartRoutes } from './resources/chart/routes.ts'
import type { CoverageGaps } from './resources/coverage/gaps.ts'
import { coverageRoutes } from './resources/coverage/routes.ts'
import { creditRoutes } from './resources/credits/routes.ts'
import { type CheckJetStream, healthRoutes } from './resources/health/routes.ts'
import { versionRoute } from './resources/health/version.ts'
import { holdingsRoutes } from './resources/holdings/routes.ts'
import { pastLeaderboardRoutes } from './resources/leaderboard/past/routes.ts'
import { leaderboardRoutes } from './resources/leaderboard/routes.ts'
import { lotRoutes } from './resources/lots/routes.ts'
import { marketRoutes } from './resources/markets/routes.ts'
import { mevRoutes } from './resources/mev/routes.ts'
import { moverRoutes } from './resources/movers/routes.ts'
import { pairRoutes } from './resources/pairs/routes.ts'
import { reconciliationRequester } from './resources/pnl/request-reconciliation.ts'
import { pnlRoutes } from './resources/pnl/routes.ts'
import { poolEventRoutes } from './resources/pool-events/routes.ts'
import { priceRoutes } from './resources/prices/routes.ts'
import { quoteRoutes } from './resources/quotes/routes.ts'
import { retractionRoutes } from './resources/retractions/routes.ts'
import { screenerRoutes } from './resources/screener/routes.ts'
import { searchRoutes } from './resources/search/routes.ts'
import { sqlRoutes } from './resources/sql/routes.ts'
import { summaryRoutes } from './resources/summary/routes.ts'
import { swapRoutes } from './resources/swaps/routes.ts'
import { tagRoutes } from './resources/tags/routes.ts'
import { tokenStatsRoutes } from './resources/token-stats/routes.ts'
import { tokenTraderRoutes } from './resources/token-traders/routes.ts'
import { tokenRoutes } from './resources/tokens/routes.ts'
import { totalRoutes } from './resources/totals/routes.ts'
import { tradedRoutes } from './resources/traded/routes.ts'
import { tradeRoutes } from './resources/trades/routes.ts'
import { trendingRoutes } from './resources/trending/routes.ts'
import { udfRoutes } from './resources/udf/routes.ts'
import { walletDayRoutes } from './resources/wallet-days/routes.ts'
import { walletRoutes } from './resources/wallets/routes.ts'
import { type Route, refusingAsOf, withSources } from './routing/route.ts'
import type { WebhookSettings } from './webhooks/registration.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/** Parts that routes work without, and bounds that have a default. */
export type RouteOptions = Pick<BacktestOptions, 'copyLimits' | 'copyJobLimits'> & {
  /** Key of the operators; absent: no /admin. */
  adminKey?: string | undefined
  /** State of workers and jobs for operators; absent: it is not shown. */
  operations?: Operations | undefined
  checkJetStream?: CheckJetStream | undefined
  /** Absent: a request that needs a job is answered with 503. */
  jobs?: JobRequests | undefined
  /** Absent: holdings of wallets come from their swaps only. */
  balances?: BalanceProvider | undefined
  /** Absent: no mint metadata from the chain. */
  mints?: MintProvider | undefined
  /** Upgrade link for callers on too low a tier; absent: the API reference. */
  upgradeUrl?: string | undefined
  /** Folder of the daily files of swaps; absent: no SQL. */
  lakeDir?: string | undefined
  /** Rows that a leaderboard may read in a request; absent: a number that takes some 50 ms. */
  directRowsMax?: number | undefined
  /** How answers name venues; absent: `venue_<id>`. */
  venueNames?: VenueNaming | undefined
  /** Absent: webhooks cannot be created. */
  webhooks?: WebhookSettings | undefined
  /** Swaps that an answer as of a slot may fold; absent: a number that takes about a second. */
  foldedSwapsMax?: number | undefined
  /** Pools up to which the screener computes in a request; absent: a number that takes some 100 ms. */
  screenedPoolsMax?: number | undefined
}

export type RouteListDeps = RouteOptions & {
  usage: Pick<Usage, 'thisMonth'>
  log: Log
  /** Samples of the metrics, for operators; absent: none are taken. */
  samples?: Samples | undefined
  /** Unix ms of the wall clock. */
  now: () => number
  /** Absent: this process reads no FEED. */
  leastSlotAfter?: LeastSlotAfter | undefined
  /** Names the newest event of FEED at or below a slot; absent: this process reads no FEED. */
  changesUntil?: ((slot: number) => string) | undefined
}

const UPGRADE_URL = '/docs'

/** All declared routes, and apart from them those of audits, which another server may serve. */
export function routesWithAudits(
  deps: RouteListDeps,
  gaps: CoverageGaps,
): { routes: Route[]; audits: Route[] } {
  const routes = listedRoutes(deps, gaps)
  const all = refusingAsOf([...routes, ...auditRoutes(deps)])
  return { routes: all.slice(0, routes.length), audits: all.slice(routes.length) }
}

/** Declared routes, except those of audits. */
function listedRoutes(deps: RouteListDeps, gaps: CoverageGaps): Route[] {
  const asOf = asOfSource({ ...deps, gaps })
  const ofDays = { ...deps, requestDays: daysRequester(deps.jobs, deps.now) }
  const routes = [
    ...swapRoutes,
    ...poolEventRoutes,
    ...candleRoutes,
    ...udfRoutes(deps),
    ...priceRoutes,
    ...marketRoutes({ ...deps, gaps }),
    ...slotRoutes({ ...deps, gaps }),
    ...coverageRoutes,
    ...retractionRoutes,
    ...pairRoutes,
    ...quoteRoutes({ gaps }),
    ...backtestRoutes({ ...deps, gaps, asOf }),
    ...mevRoutes,
    ...sqlRoutes(deps),
    ...searchRoutes,
    ...screenerRoutes({ ...deps, directPoolsMax: deps.screenedPoolsMax }),
    ...tokenStatsRoutes,
    ...totalRoutes(deps),
    ...trendingRoutes,
    ...moverRoutes,
    ...pnlRoutes(ofDays, reconciliationRequester(deps.balances && deps.jobs, deps.now)),
    ...summaryRoutes(deps),
    ...batchRoutes,
    ...tokenTraderRoutes,
    ...walletDayRoutes(ofDays),
    ...lotRoutes,
    ...tradedRoutes(deps),
    ...walletRoutes,
    ...tradeRoutes,
    ...tagRoutes({ jobs: deps.jobs, now: deps.now, log: deps.log }),
    ...chartRoutes({ ...ofDays, gaps }),
    ...holdingsRoutes(deps.balances, deps.now),
    ...leaderboardRoutes(deps),
    ...pastLeaderboardRoutes({ ...deps, asOf }),
    ...creditRoutes(deps.usage),
    ...operatorRoutes(deps),
    ...tokenRoutes({ ...deps, upgradeUrl: deps.upgradeUrl ?? UPGRADE_URL }),
    ...healthRoutes(deps.checkJetStream),
    versionRoute(),
    ingestSchemaRoute,
  ]
  return withSources(routes, { history: gaps.history, asOf })
}

function operatorRoutes({
  adminKey,
  operations,
  samples,
  webhooks,
  venueNames,
}: RouteListDeps): Route[] {
  if (adminKey === undefined) return []
  return [...adminRoutes(operations, samples), ...webhookRoutes(webhooks, venueNames)]
}
