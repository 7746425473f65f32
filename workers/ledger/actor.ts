/**
 * The ledger actor: FEED -> `position`, `position_hour` and their tables. Key: the wallet.
 *
 * A swap that is newer than its position's last is applied; one that is not makes the actor recompute the position from
 * the `swap` table (recompute.ts), at once where that is short, in pages between batches where it is long
 * (background.ts). So any arrival order ends in the same rows. A position with a retracted swap is recomputed in the
 * background, too, and deleted where none of its swaps is left.
 */

import { compareSwaps } from '../../domain/events/swap.ts'
import { isNewer, type LedgerSwap } from '../../domain/ledger/position.ts'
import { leastOf } from '../../domain/numbers/extremes.ts'
import { beginAudit } from '../../history/swaps/newest.ts'
import { query } from '../../sql/query.ts'
import {
  type DecodedSwap,
  decodeLedgerSwaps,
  type LedgerNames,
} from '../../streams/codec/ledger-decoder.ts'
import type { StoredMessage } from '../../streams/nats/jetstream.ts'
import { feedLaneFilter } from '../../streams/nats/subject.ts'
import type { Actor, Batch, LaneContext, LaneMemory } from '../runtime/actor.ts'
import { decodeFeed } from '../runtime/feed/decode-feed.ts'
import { sharedNames } from '../runtime/ids/address-ids.ts'
import { type Ahead, type Released, ReorderBuffer } from '../runtime/pacing/reorder-buffer.ts'
import { Background } from './background.ts'
import { DaySnapshots } from './day-snapshots.ts'
import { History } from './history.ts'
import {
  type Again,
  applySwaps,
  bytesOf,
  type Cover,
  covers,
  coversSwap,
  flush,
  type Holding,
  type HoldingKey,
  Holdings,
  holdingKey,
  type PositionName,
  rewind,
  withinBounds,
} from './holding.ts'
import { beginRecomputes, continueRecomputes, sold } from './recompute.ts'
import { type Hunger, loadHoldings, markPending, supplyLots } from './store.ts'
import { type LedgerEffects, ledgerBatch, noEffects } from './write.ts'

/** Bytes of each of the two generations of a lane's position cache: about 12,000 positions that trade now and then. */
const HOLDINGS_BYTES = 32 * 1024 * 1024
/**
 * A quarter of a second apart, and where history is read up to a second: the more of a position's swaps come
 * together, the less often it is written. Of 7,000 swaps together a swap costs PostgreSQL 6.4 us, of 3,000 8.8.
 */
const BATCHING = {
  bytesMax: 2 * 1024 * 1024,
  waitMs: 0,
  everyMs: 250,
  catchUp: { bytes: 256 * 1024, pauseMs: 200, everyMs: 1_000 },
}

/** A position of at most so many swaps is recomputed at once, a longer one in the background. */
const RECOMPUTE_SWAPS_MAX = 5_000
/** The same of all positions of a batch together: their swaps are in memory at once. */
const BATCH_RECOMPUTE_SWAPS_MAX = 50_000

/**
 * How a lane holds back the newest swaps while pool lanes read history: `depth` swaps, from a batch of `fromBytes` on.
 * Lagging pool lanes commit 7,000 swaps each, one lane after another.
 */
export type Reordering = { fromBytes: number; depth: number }
const REORDERING: Reordering = {
  fromBytes: BATCHING.catchUp.bytes,
  depth: 12_000,
}

/** Milliseconds after its newest message that the swaps of a slot in progress wait for more of it. */
const SLOT_WAIT_MS = 300
/**
 * Milliseconds that they wait at most, whatever arrives: a pool lane may publish old slots for hours, or a slot far
 * ahead.
 */
const SLOT_WAIT_MAX_MS = 2_000

const findAhead = query<Ahead>('ledger/find_ahead')
const deleteAhead = query('ledger/delete_ahead')
const deleteLostAudits = query('ledger/delete_lost_audits')
const listCovers = query<{ pool_lane: number; commit_number: number }>('ledger/list_covers')

export const ledgerActor: Actor = {
  name: 'ledger',
  batching: BATCHING,
  source: (topology) => topology.feed,
  filter: (topology, lane) => feedLaneFilter(topology.prefix, lane),
  publishes: () => [],
  openLane: (context) => openLedgerLane(context),
  async noteGap({ db, lane, topology }) {
    // After a gap the sequences that it refers to may belong to other messages.
    await deleteAhead(db, [lane])
    await deleteLostAudits(db, [topology.laneCount])
    await beginAudit(db, lane)
  },
}

export const openLedgerLane = (
  context: LaneContext,
  reordering: Reordering = REORDERING,
): LaneMemory => new LedgerLane(context, reordering)

/** Swaps of messages to be read again that are applied already: commits of a rebuild, and the reorder buffer. */
type Notes = { cover: Cover; buffer: ReorderBuffer }
/** Swaps to apply to a position, perhaps from an earlier snapshot on. */
type Touched = { holding: Holding; swaps: LedgerSwap[]; again?: Again }
/** The swaps of a batch in one position. */
type Group = PositionName & { key: HoldingKey; user: string; arrivals: DecodedSwap[] }

class LedgerLane implements LaneMemory {
  private readonly context: LaneContext
  private readonly names: LedgerNames
  private readonly holdings = new Holdings(HOLDINGS_BYTES)
  private readonly background: Background
  private readonly reordering: Reordering
  private notes: Notes | undefined
  private readonly history: History
  private readonly daySnapshots: DaySnapshots
  /** Positions with swaps that this batch takes back. */
  private readonly takenBack = new Set<HoldingKey>()
  /** Whether the reorder buffer holds history; else, swaps of slots in progress. */
  private isHistory = false
  /** The newest message of the last batch that was as large as a batch of history. */
  private catchUpTo = 0
  private receivedAtMs = 0

  constructor(context: LaneContext, reordering: Reordering) {
    this.context = context
    this.reordering = reordering
    this.history = new History(context)
    this.daySnapshots = new DaySnapshots(context.db)
    this.names = sharedNames(context.db)
    this.background = new Background(context, this.holdings)
  }

  async fold(messages: readonly StoredMessage[]): Promise<Batch> {
    const effects = noEffects(this.context.lane)
    this.notes ??= await this.loadNotes()
    const { buffer } = this.notes
    const { fromBytes, depth } = this.reordering
    const bytes = messages.reduce((sum, { payload }) => sum + payload.length, 0)
    const isCatchUp = bytes >= fromBytes
    this.isHistory = isCatchUp || (this.isHistory && !buffer.isEmpty)
    this.receivedAtMs = performance.now()
    await this.decode(messages, this.notes, effects)
    if (isCatchUp) this.catchUpTo = buffer.receivedTo
    return this.apply(this.isHistory ? buffer.release(depth) : this.releaseLive(buffer), effects)
  }

  /**
   * While CPU is short, without the slots in progress: pool lanes publish a slot one after another, and a position that
   * trades in two pools in one transaction would be recomputed.
   */
  private releaseLive(buffer: ReorderBuffer): Released {
    const mayWait = this.receivedAtMs - buffer.sinceMs < SLOT_WAIT_MAX_MS
    return mayWait && this.context.isCpuShort?.()
      ? buffer.releaseSettled(this.receivedAtMs)
      : buffer.drain()
  }

  private async apply(released: Released, effects: LedgerEffects): Promise<Batch> {
    const { swaps: arrivals, readTo, ahead } = released
    effects.eventCount = arrivals.length
    effects.ahead = ahead
    const groups = groupByPosition(arrivals)
    const known = await this.loadMissing(groups)
    const { touched, late } = this.sortOut(groups, known, effects)
    const sealing = touched.filter(({ holding }) => holding.state.lots.hasSealed)
    await supplyLots(this.context.db, sealing.flatMap(hungerOf))
    effects.daySnapshots = await this.daySnapshots.before(touched)
    for (const { holding, swaps, again } of touched) {
      const before = bytesOf(holding)
      applySwaps(holding, swaps)
      this.holdings.grew(bytesOf(holding) - before)
      effects.changes.push(flush(holding, again))
    }
    await this.recomputeLate(late, effects)
    this.takenBack.clear()
    return { ...ledgerBatch(effects), readTo }
  }

  /** Separates positions whose swaps can be applied in memory from positions to recompute from the table. */
  private sortOut(
    groups: readonly Group[],
    known: readonly Holding[],
    effects: LedgerEffects,
  ): { touched: Touched[]; late: Group[] } {
    const touched: Touched[] = []
    const late: Group[] = []
    for (const [index, group] of groups.entries()) {
      const holding = known[index]!
      const swaps = takeNew(holding, group)
      const first = swaps[0]
      if (first === undefined) continue
      if (holding.isPending) this.background.notice(holding, group.arrivals)
      if (isNewer(holding.state, first)) touched.push({ holding, swaps })
      else if (holding.isPending) {
        effects.ordered.push({ ...namesOfGroup(group), fromSlot: first.slot })
        const newer = swaps.filter((swap) => isNewer(holding.state, swap))
        if (newer.length > 0) touched.push({ holding, swaps: newer })
      } else {
        const rewound = rewind(holding, swaps)
        if (rewound === undefined) late.push(group)
        else {
          this.holdings.set(rewound.holding)
          touched.push(rewound)
        }
      }
    }
    return { touched, late }
  }

  async foldIdle(sequence: number): Promise<Batch | undefined> {
    const buffer = this.notes?.buffer
    if (buffer === undefined || buffer.isEmpty || (await this.isMoreComing(buffer.receivedTo))) {
      return this.background.fold(sequence)
    }
    return this.apply(buffer.drain(), noEffects(this.context.lane))
  }

  /** Whether swaps may arrive that precede the buffered ones. `sequence`: the newest message decoded. */
  private async isMoreComing(sequence: number): Promise<boolean> {
    if (this.isHistory) return this.history.isComing(sequence, this.catchUpTo)
    return performance.now() - this.receivedAtMs < SLOT_WAIT_MS
  }

  /** Decodes messages and buffers the swaps that no rebuild has applied. */
  private async decode(
    messages: readonly StoredMessage[],
    { cover, buffer }: Notes,
    effects: LedgerEffects,
  ): Promise<void> {
    const decode = ({ payload }: StoredMessage) => decodeLedgerSwaps(payload, this.names)
    const { trades, deadLetters } = await decodeFeed(this.context.db, messages, decode)
    for (const [at, swaps] of trades.entries()) {
      const mark = swaps[0]?.mark
      if (mark?.isRetraction === true) {
        this.takeBack(swaps, buffer, effects)
        buffer.add(messages[at]!.sequence, [], { atMs: this.receivedAtMs })
        continue
      }
      const isCovered = mark !== undefined && covers(cover, mark.poolLane, mark.commitNumber)
      buffer.add(messages[at]!.sequence, swaps, { atMs: this.receivedAtMs, isCovered })
    }
    if (deadLetters.length === 0) return
    effects.deadLetters.push(...deadLetters)
    // Swaps of dead letters are stored in the table nevertheless: the audit finds them by counting.
    effects.audit = 'begin'
    this.background.wake()
  }

  /** The table holds none of them any more, and FEED has delivered all of them: their positions are recomputed. */
  private takeBack(
    retracted: readonly DecodedSwap[],
    buffer: ReorderBuffer,
    effects: LedgerEffects,
  ): void {
    buffer.remove(retracted)
    for (const group of groupByPosition(retracted)) {
      const holding = this.holdings.get(group.key)
      if (holding !== undefined) holding.isPending = true
      this.takenBack.add(group.key)
      this.background.notice(group, group.arrivals)
      const swaps = group.arrivals.map(({ swap }) => swap)
      effects.ordered.push({
        ...namesOfGroup(group),
        fromSlot: leastOf(swaps.map(({ slot }) => slot)),
        retractedMs: leastOf(swaps.map(({ timestamp }) => timestamp)),
      })
    }
  }

  private async loadNotes(): Promise<Notes> {
    const { db, lane } = this.context
    const cover: number[] = []
    for (const row of await listCovers(db, [lane])) cover[row.pool_lane] = row.commit_number
    const [ahead] = await findAhead(db, [lane])
    return { cover, buffer: new ReorderBuffer(ahead) }
  }

  /** The position of each group, in their order. */
  private async loadMissing(groups: readonly Group[]): Promise<Holding[]> {
    this.holdings.age()
    const known = groups.map(({ key }) => this.holdings.get(key))
    const missing = groups.filter((_, index) => known[index] === undefined)
    if (missing.length === 0) return known as Holding[]
    const loaded = (await this.load(missing)).values()
    return known.map((holding) => {
      if (holding !== undefined) return holding
      const fresh = loaded.next().value!
      this.holdings.set(fresh)
      return fresh
    })
  }

  private async load(missing: readonly Group[]): Promise<Holding[]> {
    const loaded = await loadHoldings(this.context.db, missing)
    if (this.background.hasWork) await markPending(this.context.db, loaded)
    // Ordered by this batch: not stored yet.
    for (const holding of loaded) {
      if (this.takenBack.has(holdingKey(holding))) holding.isPending = true
    }
    return loaded
  }

  private async recomputeLate(late: readonly Group[], effects: LedgerEffects): Promise<void> {
    if (late.length === 0) return
    const { db } = this.context
    const positions = late.map((group) => ({
      ...namesOfGroup(group),
      user: group.user,
      fromSlot: group.arrivals[0]!.swap.slot,
    }))
    const recomputes = await beginRecomputes(db, positions)
    const swapCounts = recomputes.map(({ holding, again }) => {
      const known = this.holdings.get(holdingKey(holding))
      return (known?.state.swapCount ?? 0) - again.swapCount
    })
    const areShort = withinBounds(swapCounts, RECOMPUTE_SWAPS_MAX, BATCH_RECOMPUTE_SWAPS_MAX)
    const short = recomputes.filter(({ isRefused }, index) => areShort[index] && !isRefused)
    const done = await continueRecomputes(db, short, RECOMPUTE_SWAPS_MAX)
    for (const [index, recompute] of recomputes.entries()) {
      if (recompute.isRefused) await this.refuse(late[index]!, effects)
      else if (done.has(recompute)) {
        this.holdings.set(recompute.holding)
        effects.changes.push(flush(recompute.holding, recompute.again))
      } else await this.order(late[index]!, effects)
    }
  }

  /** Leaves a long recompute to the background. */
  private async order(group: Group, effects: LedgerEffects): Promise<void> {
    const holding = this.holdings.get(holdingKey(group))!
    holding.isPending = true
    const fromSlot = group.arrivals[0]!.swap.slot
    effects.ordered.push({ ...namesOfGroup(group), fromSlot })
    this.background.wake()
    await this.applyNewer(group, holding, effects)
  }

  /** Counts late swaps of a position that cannot be recomputed, because swaps that it holds were dropped. */
  private async refuse(group: Group, effects: LedgerEffects): Promise<void> {
    const holding = this.holdings.get(holdingKey(group))!
    const { user, arrivals } = group
    const late = arrivals.filter(({ swap }) => !isNewer(holding.state, swap))
    effects.refused.push({ user, slot: arrivals[0]!.swap.slot, count: late.length })
    await this.applyNewer(group, holding, effects)
  }

  private async applyNewer(group: Group, holding: Holding, effects: LedgerEffects): Promise<void> {
    const swaps = group.arrivals.map(({ swap }) => swap)
    const newer = swaps.filter((swap) => isNewer(holding.state, swap))
    if (newer.length === 0) return
    await supplyLots(this.context.db, hungerOf({ holding, swaps: newer }))
    applySwaps(holding, newer)
    effects.changes.push(flush(holding))
  }
}

function hungerOf({ holding, swaps }: Touched): Hunger[] {
  if (!holding.state.lots.hasSealed) return []
  const quantity = sold(swaps)
  return quantity > 0n ? [{ holding, quantity }] : []
}

function groupByPosition(arrivals: readonly DecodedSwap[]): Group[] {
  const groups = new Map<HoldingKey, Group>()
  for (const arrival of arrivals) {
    const { user, mint } = arrival
    const name = { walletId: user.id, tokenId: mint.id }
    const key = holdingKey(name)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { ...name, key, user: user.text, arrivals: [arrival] })
    else group.arrivals.push(arrival)
  }
  return [...groups.values()]
}

const namesOfGroup = ({ walletId, tokenId }: PositionName): PositionName => ({ walletId, tokenId })

/** Swaps that a position lacks, each once, in canonical order; the group is reduced to them. */
function takeNew(holding: Holding, group: Group): LedgerSwap[] {
  if (holding.cover !== undefined) {
    group.arrivals = group.arrivals.filter((arrival) => !coversSwap(holding.cover, arrival))
  }
  if (group.arrivals.length > 1) {
    const sorted = group.arrivals.sort((a, b) => compareSwaps(a.swap, b.swap))
    const isAgain = ({ swap }: DecodedSwap, n: number) =>
      n > 0 && compareSwaps(sorted[n - 1]!.swap, swap) === 0
    if (sorted.some(isAgain)) group.arrivals = sorted.filter((each, n) => !isAgain(each, n))
  }
  return group.arrivals.map(({ swap }) => swap)
}
