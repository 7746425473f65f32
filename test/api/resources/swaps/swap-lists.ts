// Lists of swaps over the small world of sample-swap.ts, each with its swaps, and the identity of a swap in an answer
// and in memory.

import type { Swap } from '../../../../domain/events/swap.ts'
import { mint, pair, trader } from '../../../support/market/sample-swap.ts'

/** Fields that distinguish swaps of distinct identity. */
export const keyOfAnswer = (row: Record<string, unknown>): string =>
  [
    row.slot,
    row.block_tx_index,
    row.ix_index,
    row.dex,
    row.is_buy,
    row.signature,
    row.pair_address,
    row.user,
    row.sol_amount,
    row.token_amount,
  ].join()

export const keyOfSwap = (swap: Swap): string =>
  [
    swap.slot,
    swap.blockTxIndex,
    swap.ixIndex,
    swap.dex,
    swap.isBuy,
    swap.signature,
    swap.pairAddress,
    swap.user,
    swap.solAmount,
    swap.tokenAmount,
  ].join()

type SwapList = { path: string; holds: (swap: Swap) => boolean }

const isWhale = ({ solAmount }: Swap): boolean => solAmount >= 50_000_000_000
const from = Date.UTC(2026, 6, 1) + 101 * 400
const to = Date.UTC(2026, 6, 1) + 162_000 * 400
export const SWAP_LISTS: readonly SwapList[] = [
  { path: '/swaps?', holds: () => true },
  { path: '/swaps?is_buy=true&dex=2&', holds: ({ isBuy, dex }) => isBuy && dex === 2 },
  { path: `/swaps?pair_address=${pair(1)}&`, holds: (swap) => swap.pairAddress === pair(1) },
  { path: '/swaps?min_sol=0.000000002&', holds: ({ solAmount }) => solAmount >= 2 },
  { path: '/swaps?dex=3&min_sol=50&', holds: (swap) => isWhale(swap) && swap.dex === 3 },
  { path: '/swaps?dex=9&', holds: () => false },
  { path: '/swaps/whale?min_sol=61&', holds: () => false },
  { path: '/swaps/whale?', holds: isWhale },
  {
    path: `/swaps?user=${trader(1)}&token_address=${mint(0)}&`,
    holds: (swap) => swap.user === trader(1) && swap.tokenAddress === mint(0),
  },
  { path: `/swaps/trader/${trader(0)}?`, holds: (swap) => swap.user === trader(0) },
  {
    path: `/swaps/trader/${trader(1)}?dex=2&is_buy=false&`,
    holds: ({ user, dex, isBuy }) => user === trader(1) && dex === 2 && !isBuy,
  },
  {
    path: `/swaps/token/${mint(0)}?min_sol=50&`,
    holds: (swap) => isWhale(swap) && swap.tokenAddress === mint(0),
  },
  { path: `/swaps/token/${mint(2)}?`, holds: (swap) => swap.tokenAddress === mint(2) },
  {
    path: `/swaps/range?from=${from}&to=${to}&`,
    holds: ({ timestamp }) => timestamp >= from && timestamp <= to,
  },
  {
    path: `/swaps/token/${mint(1)}?from=${from}&`,
    holds: (swap) => swap.tokenAddress === mint(1) && swap.timestamp >= from,
  },
]
