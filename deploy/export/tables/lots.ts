/**
 * Open lots of every position, as the proof of a position lists them, by wallet, mint and age. Swaps are replayed one
 * position after the other; in memory are the open lots of one.
 */
import { presentLot } from '../../../api/resources/lots/present.ts'
import { openLot } from '../../../api/resources/lots/schema.ts'
import {
  ledgerSwapOf,
  positionEndOf,
  type WalletSwap,
} from '../../../api/resources/wallets/ledger-swaps.ts'
import { accountAddress } from '../../../api/routing/schema.ts'
import { HeldSwaps } from '../../../domain/ledger/held-swaps.ts'
import { PositionProof } from '../../../domain/ledger/proof.ts'
import { exportedLots } from '../../../history/swaps/scan/all.ts'
import { columnsOf, type Row } from '../columns.ts'
import type { Limits, Table } from './table.ts'

type Replayed = {
  wallet: string
  mint: string
  held: HeldSwaps<WalletSwap>
  proof: PositionProof
}

export const lots: Table = {
  columns: columnsOf({
    wallet: accountAddress({ description: 'Wallet' }),
    mint: accountAddress({ description: 'Token mint' }),
    ...openLot.properties,
  }),
  async *read(db, limits) {
    let current: Replayed | undefined
    for await (const rows of exportedLots(db)) {
      const done: Row[] = []
      for (const row of rows) {
        const { wallet, mint } = row
        if (current === undefined || current.wallet !== wallet || current.mint !== mint) {
          if (current !== undefined) done.push(...lotsOf(current, limits))
          const held = new HeldSwaps<WalletSwap>(positionEndOf(row))
          current = { wallet, mint, held, proof: new PositionProof() }
        }
        const swap = ledgerSwapOf(row, wallet)
        if (current.held.take(swap)) current.proof.take(swap)
      }
      yield done
    }
    if (current !== undefined) yield [...lotsOf(current, limits)]
  },
}

function* lotsOf(
  { wallet, mint, held, proof }: Replayed,
  { fromMs, toMs }: Limits,
): Generator<Row> {
  for (const swap of held.rest()) proof.take(swap)
  for (const lot of proof.openLots()) {
    const { timestamp } = lot.buy
    if (timestamp >= fromMs && timestamp <= toMs) yield { wallet, mint, ...presentLot(lot) }
  }
}
