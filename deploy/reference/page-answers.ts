/** The types of the pages, from the OpenAPI document of this version. */
import { declareAnswers } from '../../api/openapi/declarations.ts'
import { servedText } from './served-text.ts'

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
  '/v2/pnl/wallets/{wallet}/highlights',
  '/v2/pnl/wallets/{wallet}/performance',
  '/v2/pnl/wallets/{wallet}/positions',
  '/v2/pnl/wallets/{wallet}/positions/{mint}/lots',
  '/v2/pnl/wallets/{wallet}/risk',
  '/v2/pnl/wallets/{wallet}/tokens',
  '/wallets/{w}/stats',
  '/wallets/{wallet}/tags',
] as const

/** Text of web/client/answers.ts. */
export async function pageAnswers(): Promise<string> {
  return declareAnswers(JSON.parse(await servedText('/openapi.json')), PAGE_READS)
}
