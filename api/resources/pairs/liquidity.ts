/**
 * The liquidity of a pool: twice its SOL (semantics, section 5). Pure.
 */
import { type Int64, lamportsToSol } from '../../../domain/amount.ts'
import {
  MIGRATION_CORRECTION_FROM_MS,
  MIGRATION_CORRECTION_LAMPORTS,
} from '../../../domain/venue.ts'

export type Reserves = {
  dex: number
  /** As reported with the newest swap, lamports. */
  last_sol_reserves: Int64
  migrated_at_ms: number | null
}

/** For the document. */
export const LIQUIDITY_MEANING =
  "Liquidity is twice the pool's SOL reserve after its newest trade, with the 17.58 SOL that pools which " +
  'migrated since 2026-07-15 do not report; 0 on venue 10.'

/** SOL, both sides together; 0 on venue 10, which reports no reserves. */
export function liquiditySol({ dex, last_sol_reserves, migrated_at_ms }: Reserves): number {
  if (dex === 10) return 0
  const isShort =
    dex === 2 && migrated_at_ms !== null && migrated_at_ms >= MIGRATION_CORRECTION_FROM_MS
  const held = BigInt(last_sol_reserves) + BigInt(isShort ? MIGRATION_CORRECTION_LAMPORTS : 0)
  return lamportsToSol(String(2n * held))
}
