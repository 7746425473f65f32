/** Thresholds of swaps that set a price (`setsPrice` in domain/events/swap.ts), as parameters of statements. */
import { PRICED_TOKENS_MIN } from '../../domain/events/swap.ts'
import { AGENT_TRADE, DUST_BASE_UNITS } from '../../domain/venue.ts'
import { int8Array } from '../../sql/binary/arrays.ts'
import type { StoredSwap } from '../sealed/stored-swap.ts'

/** The least lamports, the least base units of a token by its decimals from 0 on, and the agent trade that sets none. */
export const PRICED = [DUST_BASE_UNITS, int8Array(PRICED_TOKENS_MIN), AGENT_TRADE] as const

/** Fields that decide whether a swap sets a price. */
export type Priced = Pick<
  StoredSwap,
  'sol_amount' | 'token_amount' | 'quote_decimals' | 'agent_trade'
>

/** The same for a swap that is at hand. */
export function isPriced({
  sol_amount,
  token_amount,
  quote_decimals,
  agent_trade,
}: Priced): boolean {
  const tokensMin = PRICED_TOKENS_MIN[quote_decimals]
  if (tokensMin === undefined || agent_trade === AGENT_TRADE) return false
  return sol_amount >= DUST_BASE_UNITS && token_amount >= tokensMin
}
