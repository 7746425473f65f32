/**
 * A token line: metadata of a mint. Every field but the mint may be absent; for each field the value of the highest
 * slot wins, ties by the greater text, so any arrival order ends the same.
 */
import type { Int64 } from '../amount.ts'

export type Token = {
  tokenAddress: string
  /** Slot in which the values were read; 0 when the line has no slot. */
  slot: number
  creator?: string
  decimals?: number
  symbol?: string
  name?: string
  /** Base units. */
  supply?: Int64
  sector?: string
  /** Address of the document that the mint names, as its creator wrote it; nothing is requested of it. */
  uri?: string
}
