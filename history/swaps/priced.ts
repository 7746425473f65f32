/** Thresholds of swaps that set a price (`setsPrice` in domain/events/swap.ts), as parameters of statements. */
import { PRICED_TOKENS_MIN } from '../../domain/events/swap.ts'
import { AGENT_TRADE, DUST_BASE_UNITS } from '../../domain/venue.ts'
import { int8Array } from '../../sql/binary/arrays.ts'

/** The least lamports, the least base units of a token by its decimals from 0 on, and the agent trade that sets none. */
export const PRICED = [DUST_BASE_UNITS, int8Array(PRICED_TOKENS_MIN), AGENT_TRADE] as const
