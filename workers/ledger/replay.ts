/**
 * Folds every position from the stored swaps, wallet by wallet: `rebuild ledger` writes the result, `verify` compares
 * with it. One pass in the order of wallets and slots; memory holds the positions of one page of wallets and the addresses
 * of all pools, and where swaps are sealed up to a million swaps.
 */

import { compareSwaps } from '../../domain/events/swap.ts'
import { emptyPosition, type LedgerSwap } from '../../domain/ledger/position.ts'
import type { DexId } from '../../domain/venue.ts'
import type { WalletRow } from '../../history/sealed/scan/wallet-rows.ts'
import { readSealed } from '../../history/sealed/state.ts'
import { scanWallets } from '../../history/swaps/scan/wallets.ts'
import { copyOut, type RowReader } from '../../sql/binary/copy-reader.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { applySwaps, type Change, flush, type Holding } from './holding.ts'

const COPY_SWAPS = `copy (
  select wallet_id, slot, block_tx_index, ix_index, dex, is_buy, signature, pool_id, sol_amount,
    token_amount, timestamp_ms, quote_decimals, transfer_fee_in, transfer_fee_out
  from swap
  order by wallet_id, slot
) to stdout (format binary)`

/** PostgreSQL sorts all swaps before it returns the first: a sort that fits in memory is not written to disk. */
const SORT_MEMORY = "set local work_mem = '256MB'"

/** Wallets whose swaps together are about so many make a page. */
const PAGE_SWAPS = 10_000

type PoolRow = { id: number; pair_address: string; token_id: number }

const listPools = query<PoolRow>('ledger/list_pools')
const findLastWallet = query<{ last: number }>('ledger/find_last_wallet')
const listWallets = query<{ id: number; address: string }>('ledger/list_wallets')

/** All changes of the wallets up to `lastWalletId` that come after the page before. */
export type ReplayPage = { changes: Change[]; lastWalletId: number; swapCount: number }

type WalletSwap = { swap: LedgerSwap; tokenId: number }

/**
 * Replays. `connection` is in a transaction that sees one state of the tables; `names` reads alongside it
 * the names of wallets.
 */
export async function replay(
  connection: Connection,
  names: Connection,
  onPage: (page: ReplayPage) => Promise<void>,
): Promise<void> {
  const pools = new Map((await listPools(connection)).map((row) => [row.id, row]))
  const run = new Replay(pools, names, onPage)
  const { lastSlot } = await readSealed(connection)
  if (lastSlot >= 0) return replaySealed(connection, run)
  await connection.query(SORT_MEMORY)
  await copyOut(connection, COPY_SWAPS, (rows) => run.take(rows))
  await run.end()
}

async function replaySealed(connection: Connection, run: Replay): Promise<void> {
  const [{ last } = { last: 0 }] = await findLastWallet(connection)
  for await (const rows of scanWallets(connection, last)) await run.takeRows(rows)
  await run.end()
}

class Replay {
  private readonly pools: ReadonlyMap<number, PoolRow>
  private readonly wallets: WalletNames
  private readonly onPage: (page: ReplayPage) => Promise<void>
  private walletId = 0
  private user = ''
  private slot = -1
  /** The wallet's swaps of one slot: canonical order is settled among them. */
  private sameSlot: WalletSwap[] = []
  private positions = new Map<number, Holding>()
  private page: ReplayPage = { changes: [], lastWalletId: 0, swapCount: 0 }

  constructor(
    pools: ReadonlyMap<number, PoolRow>,
    names: Connection,
    onPage: (page: ReplayPage) => Promise<void>,
  ) {
    this.pools = pools
    this.wallets = new WalletNames(names)
    this.onPage = onPage
  }

  async take(rows: RowReader): Promise<void> {
    while (rows.next()) {
      const walletId = rows.int4()
      if (walletId !== this.walletId) await this.beginWallet(walletId)
      const slot = rows.safe()
      this.add(slot, this.readSwap(rows, slot))
    }
  }

  /** By wallet and slot. */
  async takeRows(rows: readonly WalletRow[]): Promise<void> {
    for (const row of rows) {
      if (row.wallet_id !== this.walletId) await this.beginWallet(row.wallet_id)
      const { pair_address: pairAddress, token_id: tokenId } = this.poolOf(row.pool_id)
      this.add(row.slot, { swap: { ...ledgerSwapOf(row), pairAddress, user: this.user }, tokenId })
    }
  }

  private add(slot: number, swap: WalletSwap): void {
    if (slot !== this.slot) {
      this.foldSlot()
      this.slot = slot
    }
    this.sameSlot.push(swap)
    this.page.swapCount += 1
  }

  private poolOf(poolId: number): PoolRow {
    const pool = this.pools.get(poolId)
    if (pool === undefined) throw new Error(`pool ${poolId} has swaps and is not known`)
    return pool
  }

  async end(): Promise<void> {
    this.endWallet()
    await this.onPage({ ...this.page, lastWalletId: Number.MAX_SAFE_INTEGER })
  }

  private readSwap(rows: RowReader, slot: number): WalletSwap {
    const blockTxIndex = rows.safe()
    const ixIndex = rows.int4()
    const dex = rows.int2() as DexId
    const isBuy = rows.bool()
    const signature = rows.ascii()
    const pool = this.poolOf(rows.int4())
    const swap: LedgerSwap = {
      slot,
      blockTxIndex,
      ixIndex,
      dex,
      isBuy,
      signature,
      pairAddress: pool.pair_address,
      user: this.user,
      solAmount: rows.int8(),
      tokenAmount: rows.int8(),
      timestamp: rows.safe(),
      quoteDecimals: rows.int2(),
      transferFeeIn: rows.int8(),
      transferFeeOut: rows.int8(),
    }
    return { swap, tokenId: pool.token_id }
  }

  private async beginWallet(walletId: number): Promise<void> {
    this.endWallet()
    if (this.page.swapCount >= PAGE_SWAPS) {
      await this.onPage(this.page)
      this.page = { changes: [], lastWalletId: 0, swapCount: 0 }
    }
    this.user = this.wallets.known(walletId) ?? (await this.wallets.find(walletId))
    this.walletId = walletId
  }

  private endWallet(): void {
    this.foldSlot()
    this.slot = -1
    for (const holding of this.positions.values()) this.page.changes.push(flush(holding))
    this.page.lastWalletId = this.walletId
    this.positions.clear()
  }

  private foldSlot(): void {
    const { sameSlot } = this
    if (sameSlot.length > 1) sameSlot.sort((a, b) => compareSwaps(a.swap, b.swap))
    for (const { swap, tokenId } of sameSlot) {
      let holding = this.positions.get(tokenId)
      if (holding === undefined) {
        holding = emptyHolding(this.walletId, tokenId)
        this.positions.set(tokenId, holding)
      }
      applySwaps(holding, [swap])
    }
    this.sameSlot = []
  }
}

const ledgerSwapOf = (row: WalletRow): Omit<LedgerSwap, 'pairAddress' | 'user'> => ({
  slot: row.slot,
  blockTxIndex: row.block_tx_index,
  ixIndex: row.ix_index,
  dex: row.dex as DexId,
  isBuy: row.is_buy,
  signature: row.signature,
  solAmount: row.sol_amount,
  tokenAmount: row.token_amount,
  timestamp: row.timestamp_ms,
  quoteDecimals: row.quote_decimals,
  transferFeeIn: row.transfer_fee_in,
  transferFeeOut: row.transfer_fee_out,
})

const emptyHolding = (walletId: number, tokenId: number): Holding => ({
  walletId,
  tokenId,
  state: emptyPosition(),
  isNew: true,
  isPending: false,
  cover: undefined,
  snapshots: [],
  recent: undefined,
})

/** Names of wallets, read ahead in the order of their ids. */
class WalletNames {
  private static readonly PAGE = 20_000
  private readonly connection: Connection
  private page = new Map<number, string>()

  constructor(connection: Connection) {
    this.connection = connection
  }

  known(walletId: number): string | undefined {
    return this.page.get(walletId)
  }

  async find(walletId: number): Promise<string> {
    const rows = await listWallets(this.connection, [walletId, WalletNames.PAGE])
    this.page = new Map(rows.map((row) => [row.id, row.address]))
    const name = this.page.get(walletId)
    if (name === undefined) throw new Error(`wallet ${walletId} has swaps and no name`)
    return name
  }
}
