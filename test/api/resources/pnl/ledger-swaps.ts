// Hand-written swaps of a wallet: numbered from 1, a second and a slot apart, with amounts in SOL and whole tokens.

import { int64 } from '../../../../domain/amount.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'

/** 2026-08-01T00:00:00Z: the time of number 0. */
export const START_MS = Date.UTC(2026, 7, 1)

const LAMPORTS_PER_SOL = 1e9

export type Trade = {
  /** Wallet and mint, by number. */
  user?: number
  mint: number
  isBuy: boolean
  tokens: number | bigint
  sol: number
  decimals?: number
  /** Number of the transaction; absent: one of its own. */
  transaction?: number
  atMs?: number
}

/** A trade as the swap of its number. Each mint has a pool of its own. */
export function swapOf(n: number, trade: Trade): Swap {
  const { user = 1, mint: m, isBuy, tokens, sol, decimals = 6, transaction = n } = trade
  return sampleSwap({
    signature: signatureOf(transaction),
    slot: 1_000 + transaction,
    ixIndex: n,
    timestamp: trade.atMs ?? START_MS + n * 1_000,
    user: trader(user),
    tokenAddress: mint(m),
    pairAddress: pair(m),
    isBuy,
    solAmount: Math.round(sol * LAMPORTS_PER_SOL),
    tokenAmount: typeof tokens === 'bigint' ? int64(tokens) : Math.round(tokens * 10 ** decimals),
    quoteDecimals: decimals,
  })
}

export const swapsOf = (trades: readonly Trade[]): Swap[] =>
  trades.map((trade, index) => swapOf(index + 1, trade))
