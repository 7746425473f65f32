/**
 * Tokens that others are quoted in, in addition to SOL itself: dollars and staked SOL. The dollars set the
 * SOL/USD rate. One table.
 */
type QuoteMint = { readonly tokenAddress: string; readonly isDollar: boolean }

export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
export const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'

export const QUOTE_MINTS: readonly QuoteMint[] = [
  { tokenAddress: USDC, isDollar: true },
  { tokenAddress: USDT, isDollar: true },
  { tokenAddress: 'J1toso1uCk3RLmjorhTtrVwY9HJ7X8V9yYac6Y7kGCPn', isDollar: false },
  { tokenAddress: 'mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So', isDollar: false },
  { tokenAddress: 'bSo13r4TkiE4KumL71LsHTPpL2euBYLFx6h9HP3piy1', isDollar: false },
]

const DOLLARS = new Set(
  QUOTE_MINTS.filter(({ isDollar }) => isDollar).map(({ tokenAddress }) => tokenAddress),
)

export function isDollarMint(mint: string): boolean {
  return DOLLARS.has(mint)
}
