/** The ledger's fold of a wallet, in the shapes of the naive model, so that they compare. */

import { compareSwaps, type Swap, type SwapOrderKey } from '../../../domain/events/swap.ts'
import type { Hours, JudgedSell } from '../../../domain/ledger/hours.ts'
import type { PositionState } from '../../../domain/ledger/position.ts'
import {
  hourOf,
  hoursOf,
  type ModelPosition,
  type ModelSell,
  positionsOf,
} from '../../simulation/models/ledger-model.ts'
import { swapIdentity } from '../../support/market/swap-identity.ts'
import { foldAll } from './histories.ts'

/** Product and model of a wallet with swaps in canonical order: two values that must be equal. */
export function bothOf(walletSwaps: readonly Swap[]): { folded: unknown; expected: unknown } {
  const states = new Map(
    [...Map.groupBy(walletSwaps, (swap) => swap.tokenAddress)].map(
      ([mint, swaps]) => [mint, foldAll(swaps)] as const,
    ),
  )
  const allHours = [...states.values()].map((state) => state.hours)
  return {
    folded: {
      positions: new Map([...states].map(([mint, state]) => [mint, figuresOfState(state)])),
      hours: sumOfHours(allHours),
    },
    expected: {
      positions: new Map(
        [...positionsOf(walletSwaps)].map(([mint, position]) => [mint, figuresOfModel(position)]),
      ),
      hours: modelHours(walletSwaps),
    },
  }
}

function figuresOfState(state: PositionState) {
  return {
    balance: state.balance,
    lotBalance: state.lots.quantity,
    basis: { adjusted: state.basis, strict: state.lots.cost },
    realized: {
      strict: state.realizedStrict,
      adjusted: state.realizedAdjusted,
      raw: state.sellsLamports - state.buysLamports,
    },
    bought: [state.buysLamports, state.buyCount, state.largestBuyLamports],
    sold: [state.sellsLamports, state.sellCount, state.largestSellLamports],
    judged: [state.coveredSellCount, state.winCount],
    uncovered: [state.uncoveredQuantity, state.uncoveredLamports],
    times: [state.firstTradeMs, state.lastTradeMs],
    spans: [state.fastestFlipMs ?? null, state.longestHoldMs ?? null],
    decimals: state.decimals,
    transactions: [state.transactionCount, state.arbitrageCount],
    transactionsOfHours: [...state.hours.values()].reduce(
      ([all, arbitrage], hour) => [all! + hour.transactionCount, arbitrage! + hour.arbitrageCount],
      [0, 0],
    ),
  }
}

function figuresOfModel(position: ModelPosition): ReturnType<typeof figuresOfState> {
  const transactions = [position.transactions, position.arbitrageTransactions]
  return {
    balance: position.balance,
    lotBalance: position.balance,
    basis: {
      adjusted: position.basis,
      strict: position.lots.reduce((total, lot) => total + lot.cost, 0n),
    },
    realized: position.realized,
    bought: [position.bought, position.buyCount, position.largestBuy],
    sold: [position.sold, position.sellCount, position.largestSell],
    judged: [position.coveredSellCount, position.winCount],
    uncovered: [position.uncoveredQty, position.uncoveredSol],
    times: [position.firstTradeMs, position.lastTradeMs],
    spans: [position.fastestFlipMs, position.longestHoldMs],
    decimals: position.decimals,
    transactions,
    transactionsOfHours: transactions,
  }
}

/** Rows of hours, added up as a reader of the table would: by hour, over positions and segments. */
export function sumOfHours(all: readonly Hours[]) {
  const rows = all.flatMap((hours) => [...hours.values()])
  const byHour = Map.groupBy(rows, ({ hourMs }) => hourOf({ timestamp: hourMs }))
  const total = (own: typeof rows, of: (row: (typeof rows)[number]) => bigint): bigint =>
    own.reduce((sum, row) => sum + of(row), 0n)
  return new Map(
    [...byHour].sort(byText).map(([hour, own]) => [
      hour,
      {
        strict: total(own, (row) => row.realizedStrict),
        adjusted: total(own, (row) => row.realizedAdjusted),
        raw: total(own, (row) => row.realizedRaw),
        volume: total(own, (row) => row.volumeLamports),
        counts: [
          total(own, (row) => BigInt(row.buyCount)),
          total(own, (row) => BigInt(row.sellCount)),
          total(own, (row) => BigInt(row.coveredSellCount)),
          total(own, (row) => BigInt(row.winCount)),
        ],
        best: shown(first(own, (row) => row.best, -1)),
        worst: shown(first(own, (row) => row.worst, 1)),
      },
    ]),
  )
}

function modelHours(walletSwaps: readonly Swap[]): ReturnType<typeof sumOfHours> {
  return new Map(
    [...hoursOf(walletSwaps)].sort(byText).map(([hour, own]) => [
      hour,
      {
        ...own.realized,
        volume: own.volume,
        counts: [own.buyCount, own.sellCount, own.coveredSellCount, own.winCount].map(BigInt),
        best: shownSell(own.best),
        worst: shownSell(own.worst),
      },
    ]),
  )
}

/** `sign` 1: the least realized; -1: the greatest; of equal ones the canonically first. */
function first<Row>(
  rows: readonly Row[],
  of: (row: Row) => JudgedSell | undefined,
  sign: 1 | -1,
): JudgedSell | undefined {
  return rows
    .map(of)
    .filter((sell) => sell !== undefined)
    .sort((a, b) => {
      const difference = a.realizedLamports - b.realizedLamports
      return difference === 0n
        ? compareSwaps(a.orderKey, b.orderKey)
        : difference < 0n
          ? -sign
          : sign
    })[0]
}

const shown = (sell: JudgedSell | undefined) =>
  sell === undefined ? null : [sell.realizedLamports, identityOf(sell.orderKey)]

const shownSell = (sell: ModelSell | null) =>
  sell === null ? null : [sell.adjusted, identityOf(sell.swap)]

const identityOf = (position: SwapOrderKey): string => swapIdentity(position as Swap)

const byText = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1)
