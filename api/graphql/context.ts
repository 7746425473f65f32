/** The context of one GraphQL request: its reads and its remaining cost budget. */

import type { Route } from '../routing/route.ts'

export type Reads = {
  /** The answer of a route to its parameters, parsed. Rejects with ApiError. */
  route(route: Route, parameters: Record<string, unknown>): Promise<unknown>
  /** Undefined: no such token is known. */
  token(mint: string): Promise<TokenRow | undefined>
}

export type GraphqlContext = {
  reads: Reads
  /** Cost budget left for rows that could not be counted before the query ran. */
  costLeft: number
}

export type TokenRow = {
  mint: string
  symbol: string | null
  name: string | null
  decimals: number | null
  creator: string | null
  sector: string | null
  uri: string | null
  image: string | null
  price: number | null
  price_ms: number | null
  price_is_stale: boolean | null
  sol_usd: number | null
}
