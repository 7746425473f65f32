/**
 * Relevance score of a search result. Pure.
 *
 * ```
 * 1           a whole address or signature
 * 0.9 .. 1    a whole symbol         0.8 .. 0.9  a whole name
 * 0.5 .. 0.8  begins a symbol        0.4 .. 0.7  begins a name        0.1 .. 0.4  begins an address
 * ```
 * Within a band the score grows with the share of the text that was typed and with the number of trades. For
 * addresses, which have 32 to 44 characters, the share is of the longest, so that wallets with the same prefix tie
 * and the first by address rank best.
 */

export type Match = 'symbol' | 'name' | 'address'

/** Swaps at which half of what trades can add is reached: tokens of one symbol lie far apart. */
const HALFWAY_SWAPS = 1_000
const TRADED_SHARE = 0.1
const TYPED_SHARE = 0.2
const ADDRESS_LENGTH_MAX = 44
const WHOLE: Readonly<Record<Match, number>> = { symbol: 0.9, name: 0.8, address: 1 }
const BEGUN: Readonly<Record<Match, number>> = { symbol: 0.5, name: 0.4, address: 0.1 }

/** 0..1, of a text that begins with the query, both as search compares them. `swaps`: of it, ever. */
export function scoreOf(match: Match, query: string, found: string, swaps: number): number {
  const isWhole = query.length === found.length
  if (isWhole && match === 'address') return 1
  const traded = (TRADED_SHARE * swaps) / (swaps + HALFWAY_SWAPS)
  if (isWhole) return WHOLE[match] + traded
  const whole = match === 'address' ? ADDRESS_LENGTH_MAX : found.length
  const typed = (TYPED_SHARE * Math.min(query.length, found.length)) / whole
  return BEGUN[match] + typed + traded
}
