/**
 * Open lots of every position, as the proof of a position lists them, by wallet, mint and age. Swaps are replayed one
 * position after the other; in memory are the open lots of one.
 */
import { presentLot } from '../../../api/resources/lots/present.ts'
import { openLot } from '../../../api/resources/lots/schema.ts'
import { ledgerSwapOf } from '../../../api/resources/wallets/ledger-swaps.ts'
import { accountAddress } from '../../../api/routing/schema.ts'
import { PositionProof } from '../../../domain/ledger/proof.ts'
import { exportedLots } from '../../../history/swaps/scans.ts'
import { columnsOf, type Row } from '../columns.ts'
import type { Limits, Table } from './table.ts'

type Replayed = { wallet: string; mint: string; proof: PositionProof }

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
          current = { wallet, mint, proof: new PositionProof() }
        }
        current.proof.take(ledgerSwapOf(row, wallet))
      }
      yield done
    }
    if (current !== undefined) yield [...lotsOf(current, limits)]
  },
}

function* lotsOf({ wallet, mint, proof }: Replayed, { fromMs, toMs }: Limits): Generator<Row> {
  for (const lot of proof.openLots()) {
    const { timestamp } = lot.buy
    if (timestamp >= fromMs && timestamp <= toMs) yield { wallet, mint, ...presentLot(lot) }
  }
}
