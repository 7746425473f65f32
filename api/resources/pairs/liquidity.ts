/**
 * The liquidity of a pool: twice its SOL (docs/semantics.md#liquidity). Pure.
 */
import { type Int64, lamportsToSol } from '../../../domain/amount.ts'
import { dateOf } from '../../../domain/time/utc-day.ts'
import { reportsReserves, unreportedLamports, VENUES } from '../../../domain/venue.ts'

export type Reserves = {
  dex: number
  /** Lamports, reported with the newest swap. */
  last_sol_reserves: Int64
  migrated_at_ms: number | null
  /** Lamports that the newest swap states in addition to the reserves; null where it states none. */
  last_virtual_quote_reserves: Int64 | null
}

const UNREPORTED = VENUES.flatMap(({ unreportedSol: short }) =>
  short === undefined
    ? []
    : [
        `with the ${lamportsToSol(short.lamports)} SOL that pools which migrated since ` +
          `${dateOf(short.migratedFromMs)} do not report, or the amount that the trade states`,
      ],
)

/** For descriptions: `0 on venue 10`. */
export const LIQUIDITY_ZERO = `0 on ${VENUES.filter(({ dex }) => !reportsReserves(dex))
  .map(({ dex }) => `venue ${dex}`)
  .join(' and ')}`

/** For the document. */
export const LIQUIDITY_MEANING =
  ["Liquidity is twice the pool's SOL reserve after its newest trade", ...UNREPORTED].join(', ') +
  `; ${LIQUIDITY_ZERO}.`

/** SOL, both sides together; 0 on a venue that reports no reserves. */
export function liquiditySol(reserves: Reserves): number {
  const { dex, last_sol_reserves, migrated_at_ms, last_virtual_quote_reserves: stated } = reserves
  if (!reportsReserves(dex)) return 0
  const held = BigInt(last_sol_reserves) + BigInt(unreportedLamports(dex, migrated_at_ms, stated))
  return lamportsToSol(String(2n * held))
}
