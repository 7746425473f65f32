/** When a wallet is an arbitrageur, by its transactions that bought and sold one mint. Pure. */

/** Arbitrage transactions from which on a wallet is an arbitrageur, where they are half of all; the SQL has the same number. */
export const ARBITRAGES_MIN = 3

export const isArbitrageur = (arbitrages: number, transactions: number): boolean =>
  arbitrages >= ARBITRAGES_MIN && arbitrages * 2 >= transactions
