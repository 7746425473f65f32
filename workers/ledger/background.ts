/**
 * Background work of a ledger lane between batches: recomputing long positions, a page at a time, and
 * audits. Both are queued in tables (position_refold, ledger_audit), so a crash loses none of them;
 * the progress of a long recompute is in memory only, and after a crash it restarts.
 *
 * An audit follows a gap in FEED: swaps that a lane never decoded are stored in the `swap` table, so a
 * position that lacks one counts fewer than the table. The audit orders its recompute. While the lane lags FEED the
 * audit pauses: all positions would lack the swaps that are still to be read.
 */
import { listMiscounted } from '../../history/swaps/wallets.ts'
import { query } from '../../sql/query.ts'
import { laneOf } from '../../streams/nats/lane.ts'
import { feedHead } from '../../streams/nats/topology.ts'
import type { Batch, LaneContext } from '../runtime/actor.ts'
import {
  coversSwap,
  type DecodedSwap,
  flush,
  type Holdings,
  holdingKey,
  type PositionName,
} from './holding.ts'
import { beginRecomputes, continueRecomputes, type Recompute } from './recompute.ts'
import { ledgerBatch, noEffects } from './write.ts'

type OrderRow = { wallet_id: number; token_id: number; from_slot: number; address: string }

const listRecomputes = query<OrderRow>('ledger/list_recomputes')
const findAudit = query<{ next_wallet_id: number }>('ledger/find_audit')
const listWallets = query<{ id: number; address: string }>('ledger/list_wallets')

/** Positions that are tried at once, and swaps of each: most that are ordered by an audit are short. */
const SHORT_POSITIONS = 50
const SHORT_SWAPS = 500
/** Then longer positions: how many at once, and swaps of all of them together. */
const LONG_POSITIONS = 10
const LONG_SWAPS = 5_000
const WALLETS_A_PAGE = 1_000
/** A lane has caught up when it has read the messages that FEED held this many milliseconds ago. */
const LAG_MS_MAX = 2_000

export class Background {
  private readonly context: LaneContext
  private readonly holdings: Holdings
  /** Long recomputes in progress. */
  private long: Recompute[] = []
  private mayHaveWork = true
  /** The feed's newest message of the lane when it was last looked for. */
  private head = { sequence: 0, atMs: Number.NEGATIVE_INFINITY }

  constructor(context: LaneContext, holdings: Holdings) {
    this.context = context
    this.holdings = holdings
  }

  /** There is, or will be with the next commit, something to do. */
  wake(): void {
    this.mayHaveWork = true
  }

  /**
   * Swaps arrived for a pending position: the recompute in progress may be past their slots. Then it restarts, after
   * the other pending ones: late swaps may arrive for it for hours.
   */
  notice(holding: PositionName, arrivals: readonly DecodedSwap[]): void {
    this.mayHaveWork = true
    if (this.long.length === 0) return
    const key = holdingKey(holding)
    const isPassedBy = (long: Recompute): boolean =>
      holdingKey(long.holding) === key &&
      arrivals.some(
        (arrival) => arrival.swap.slot < long.nextSlot && !coversSwap(long.holding.cover, arrival),
      )
    this.long = this.long.filter((long) => !isPassedBy(long))
  }

  /** Whether recomputes or audits may be pending. */
  get hasWork(): boolean {
    return this.mayHaveWork
  }

  /** `sequence`: up to which the feed is read. */
  async fold(sequence: number): Promise<Batch | undefined> {
    if (!this.mayHaveWork) return undefined
    if (this.long.length > 0) return this.foldLong(this.long.slice(0, LONG_POSITIONS))
    const batch = await this.foldShort()
    if (batch !== undefined) return batch
    const { db, lane } = this.context
    const [audit] = await findAudit(db, [lane])
    this.mayHaveWork = audit !== undefined
    if (audit === undefined || (await this.isLagging(sequence))) return undefined
    return this.auditPage(audit.next_wallet_id)
  }

  private async isLagging(sequence: number): Promise<boolean> {
    const { jetStream, topology, lane } = this.context
    const nowMs = performance.now()
    const isRecent = nowMs - this.head.atMs < LAG_MS_MAX
    if (isRecent && sequence < this.head.sequence) return true
    const wasReached = isRecent
    this.head = { sequence: await feedHead(jetStream, topology, lane), atMs: nowMs }
    return !wasReached && sequence < this.head.sequence
  }

  /** Orders of wallets that are another lane's by now wait for its audit to claim them. */
  private owns({ address }: { address: string }): boolean {
    const { lane, topology } = this.context
    return laneOf(address, topology.laneCount) === lane
  }

  private async foldLong(long: readonly Recompute[]): Promise<Batch> {
    const swapsMax = Math.ceil(LONG_SWAPS / long.length)
    return this.settle(long, await continueRecomputes(this.context.db, long, swapsMax))
  }

  /** Orders of this lane's wallets. Orders of other lanes' wallets may precede them until those lanes claim them. */
  private async ordered(): Promise<OrderRow[]> {
    const { db, lane } = this.context
    for (let after = [0, 0]; ; ) {
      const page = await listRecomputes(db, [lane, SHORT_POSITIONS, ...after])
      const own = page.filter((row) => this.owns(row))
      const last = page.at(-1)
      if (own.length > 0 || last === undefined) return own
      after = [last.wallet_id, last.token_id]
    }
  }

  private async foldShort(): Promise<Batch | undefined> {
    const { db } = this.context
    const rows = await this.ordered()
    if (rows.length === 0) return undefined
    const recomputes = await beginRecomputes(
      db,
      rows.map((row) => ({
        walletId: row.wallet_id,
        tokenId: row.token_id,
        user: row.address,
        fromSlot: row.from_slot,
      })),
    )
    const possible = recomputes.filter(({ isRefused }) => !isRefused)
    const done = await continueRecomputes(db, possible, SHORT_SWAPS)
    this.long = possible.filter((recompute) => !done.has(recompute))
    return this.settle(recomputes, done, rows)
  }

  /** Writes the completed recomputes, and counts those that are refused; the others stay queued. */
  private settle(
    recomputes: readonly Recompute[],
    done: ReadonlySet<Recompute>,
    rows: readonly OrderRow[] = [],
  ): Batch {
    const effects = noEffects(this.context.lane)
    this.long = this.long.filter((recompute) => !done.has(recompute))
    for (const [index, recompute] of recomputes.entries()) {
      if (recompute.isRefused) {
        const { walletId, tokenId } = recompute.holding
        const slot = rows[index]?.from_slot ?? 0
        effects.recomputed.push({ walletId, tokenId })
        effects.refused.push({ user: recompute.user, slot, count: 1 })
        const stored = this.holdings.get(holdingKey(recompute.holding))
        if (stored !== undefined) stored.isPending = false
      }
      if (!done.has(recompute)) continue
      const { holding, again } = recompute
      effects.recomputed.push({ walletId: holding.walletId, tokenId: holding.tokenId })
      this.holdings.set(holding)
      // A position of which no swap is stored has no row.
      if (holding.state.last === undefined) {
        holding.isNew = true
        effects.emptied.push({ walletId: holding.walletId, tokenId: holding.tokenId })
      } else effects.changes.push(flush(holding, again))
    }
    return ledgerBatch(effects)
  }

  private async auditPage(nextWalletId: number): Promise<Batch> {
    const { db, lane, log } = this.context
    const page = await listWallets(db, [nextWalletId, WALLETS_A_PAGE])
    const effects = noEffects(lane)
    const last = page.at(-1)
    const walletIds = page.filter((wallet) => this.owns(wallet)).map(({ id }) => id)
    effects.audit = last === undefined ? 'end' : { nextWalletId: last.id + 1, walletIds }
    for (const name of await listMiscounted(db, walletIds)) {
      effects.ordered.push({ ...name, fromSlot: 0 })
      const holding = this.holdings.get(holdingKey(name))
      if (holding !== undefined) holding.isPending = true
    }
    if (effects.ordered.length > 0) {
      log.warn({ lane, positions: effects.ordered.length }, 'recomputing positions that lack swaps')
    }
    return ledgerBatch(effects)
  }
}
