/** Rows of brackets and their legs, as the job writes and the API reads them. */
import type { Int64 } from '../../amount.ts'

export type LegRole = 'front' | 'victim' | 'back'

/** `loss_low` and `loss_high`: lamports, of victims. */
export type LegRow = {
  role: LegRole
  wallet: string
  slot: number
  block_tx_index: number
  ix_index: number
  timestamp_ms: number
  signature: string
  is_buy: boolean
  sol_amount: Int64
  token_amount: Int64
  basis: string | null
  loss_low: string | null
  loss_high: string | null
}

/** In execution order; of refused brackets without the victims, which are counted only. */
export type BracketRow = {
  slot: number
  block_tx_index: number
  ix_index: number
  signature: string
  timestamp_ms: number
  last_slot: number
  ruling: string
  link: string
  width: string
  victim_count: number
  profit_lamports: string | null
  gain_of_others_lamports: string
  legs: LegRow[]
}
