/**
 * The types of the pages, from the OpenAPI document of this version. The document comes from an API that has no database:
 * its examples are then those of the story, which types do not depend on.
 */
import { startApi } from '../../api/main.ts'
import { declareAnswers } from '../../api/openapi/declarations.ts'
import type { Log } from '../../domain/log.ts'

/** Paths that the pages read. */
export const PAGE_READS = [
  '/admin/v1/samples',
  '/api/v1/candles',
  '/api/v1/pairs',
  '/api/v1/stats',
  '/api/v1/top-movers',
  '/credits',
  '/pool-events',
  '/screener',
  '/search',
  '/stats/token/{mint}',
  '/stats/tokens',
  '/swaps',
  '/swaps/range',
  '/swaps/token/{mint}',
  '/swaps/trader/{wallet}',
  '/swaps/whale',
  '/swaps/{signature}',
  '/tokens/{mint}/audit',
  '/tokens/{mint}/holders',
  '/tokens/{mint}/intel',
  '/tokens/{mint}/risk',
  '/tokens/{mint}/smart-money',
  '/tokens/{mint}/whales',
  '/trending',
  '/v2/pnl/leaderboard/kols/calendar',
  '/v2/pnl/leaderboard/top',
  '/v2/pnl/wallets/{wallet}/performance',
  '/v2/pnl/wallets/{wallet}/positions',
  '/v2/pnl/wallets/{wallet}/positions/{mint}/lots',
  '/v2/pnl/wallets/{wallet}/risk',
  '/v2/pnl/wallets/{wallet}/tokens',
  '/wallets/{w}/stats',
  '/wallets/{wallet}/tags',
] as const

const NO_DATABASE = 'postgres://127.0.0.1:1/none'
/** Without one there are no routes of operators. */
const NO_OPERATOR = 'a-key-of-no-operator'
const ignore = (): void => {}
const SILENT: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** Text of web/client/answers.ts. */
export async function pageAnswers(): Promise<string> {
  const api = await startApi({
    databaseUrl: NO_DATABASE,
    adminKey: NO_OPERATOR,
    port: 0,
    log: SILENT,
  })
  try {
    const response = await fetch(`${api.url}/openapi.json`)
    return declareAnswers(await response.json(), PAGE_READS)
  } finally {
    await api.stop()
  }
}
