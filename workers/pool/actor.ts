/**
 * The pool actor: SWAP -> `swap`, `pool`, `pool_event`, `token` -> FEED. Key: the pool.
 *
 * Here it is wired: decode and check, drop duplicates, load the states that the fold needs, fold pool by pool
 * (pool.ts), settle late arrivals (late.ts). The statements of the commit are in write.ts.
 */

import { type ChainEvent, payloadOf } from '../../domain/events/event.ts'
import type { PoolEvent } from '../../domain/events/pool-event.ts'
import type { RetractedBlocks } from '../../domain/events/retraction.ts'
import { retractionOfRow } from '../../domain/events/stored-row.ts'
import type { Swap } from '../../domain/events/swap.ts'
import { HistoryMoved, knownSealed, type Sealed } from '../../history/sealed/state.ts'
import { wireEventOf } from '../../streams/codec/event-codec.ts'
import { publishPaceHint } from '../../streams/nats/backpressure.ts'
import type { StoredMessage } from '../../streams/nats/jetstream.ts'
import { feedSubjectsOfPoolLane, swapLaneFilter } from '../../streams/nats/subject.ts'
import type { Actor, Batch, LaneContext, LaneMemory } from '../runtime/actor.ts'
import { type IdCache, sharedIdCache } from '../runtime/ids/id-cache.ts'
import { LaneAlignment } from '../runtime/pacing/lane-alignment.ts'
import { type Conflict, FirstPoolEvents, FirstSwaps } from './arrivals/contradiction.ts'
import { type Arrival, type Arrivals, decodeArrivals, noArrivals } from './arrivals/decode.ts'
import { Deliveries } from './arrivals/deliveries.ts'
import { refuseDropped } from './arrivals/dropped.ts'
import { leaveOut } from './arrivals/leave-out.ts'
import { otherEffects } from './arrivals/other-effects.ts'
import { ByPool, type PoolName } from './by-pool.ts'
import { foldPool, type PoolArrivals } from './fold.ts'
import {
  adjacentPairs,
  type ImpactUpdate,
  type LateArrivals,
  probesOf,
  settlePair,
} from './impact/late.ts'
import { LookUp, type LookUpMode, StoredAlready } from './look-up.ts'
import type { PoolState } from './pool-state.ts'
import { recallCommit } from './publication/published-batch.ts'
import { foldRepair, type Repair } from './repair.ts'
import { foldRetraction, nextRetraction } from './retraction/apply.ts'
import { readmitted } from './retraction/readmission.ts'
import { loadRetractedBlocks, refusalOf } from './retraction/retracted-blocks.ts'
import {
  assertUnknown,
  internWallets,
  type Known,
  loadDisturbances,
  loadKnownPoolEvents,
  loadKnownSwaps,
  loadNeighbours,
  loadPools,
} from './store.ts'
import { type TaggedWallets, taggedWalletsOf } from './tagged-wallets.ts'
import { ChunkWidth } from './write/chunk-width.ts'
import { SignatureRows } from './write/signature-rows.ts'
import { type TokenDecimals, tokenDecimalsOf } from './write/token-decimals.ts'
import { type PoolEffects, poolBatch } from './write/write.ts'

/** Wallet ids remembered by a process, twice (two generations): about 100 MB. */
const WALLETS_REMEMBERED = 300_000
/** Pool states cached by a lane; beyond it the whole cache is dropped, and states are read again on demand. */
const POOLS_REMEMBERED = 50_000

export const poolActor: Actor = {
  name: 'pool',
  source: (topology) => topology.swap,
  filter: (topology, lane) => swapLaneFilter(topology.prefix, lane),
  publishes: (topology, lane) => feedSubjectsOfPoolLane(topology.prefix, lane, topology.laneCount),
  publishPaceHint: ({ jetStream, topology, lane }, moreMs) =>
    publishPaceHint(jetStream, topology.prefix, lane, moreMs),
  openLane: (context) => new PoolLane(context, new LookUp()),
  recall: recallCommit,
}

/** Events of a batch in one pool; `name` is one of them. */
type Group = Omit<PoolArrivals, 'state'> & { name: PoolName }

class PoolLane implements LaneMemory {
  private readonly context: LaneContext
  private readonly lookUp: LookUp
  private readonly wallets: IdCache
  /** New wallet ids, cached once the commit that uses them has succeeded. */
  private readonly learned = new Map<string, number>()
  private readonly tagged: TaggedWallets
  private readonly states = new ByPool<PoolState>()
  private readonly chunkWidth: ChunkWidth
  private readonly laneAlignment: LaneAlignment
  private readonly decimals: TokenDecimals
  private repair: Repair | 'unknown' | undefined = 'unknown'
  private retracted: RetractedBlocks | undefined
  /** Retractions may wait to be applied, or events to be readmitted. */
  private hasRetractions = true

  constructor(context: LaneContext, lookUp: LookUp) {
    this.context = context
    this.lookUp = lookUp
    this.wallets = sharedIdCache(context.db, 'wallet', WALLETS_REMEMBERED)
    this.tagged = taggedWalletsOf(context.db)
    this.chunkWidth = new ChunkWidth(context.db, context.topology.laneCount)
    this.laneAlignment = new LaneAlignment(context)
    this.decimals = tokenDecimalsOf(context.db, context.log)
  }

  untilDue(signal: AbortSignal): Promise<void> {
    return this.laneAlignment.untilOthers(signal)
  }

  async fold(messages: readonly StoredMessage[]): Promise<Batch> {
    this.laneAlignment.took(messages)
    this.rememberLearned()
    const { db, log } = this.context
    this.retracted ??= await loadRetractedBlocks(db)
    const { retracted } = this
    const arrivals = await decodeArrivals(messages, log, (each) => refusalOf(db, each))
    for (const each of arrivals.retractions) retracted.add(each)
    if (arrivals.retractions.length > 0) this.hasRetractions = true
    dropRetracted(arrivals, retracted)
    return this.foldArrivals(arrivals, this.lookUp.mode)
  }

  /** `removeReadmitted`: the arrivals were rejected before. */
  private async foldArrivals(
    arrivals: Arrivals,
    mode: LookUpMode,
    removeReadmitted?: PoolEffects['removeReadmitted'],
  ): Promise<Batch> {
    const { db } = this.context
    const sealed = await knownSealed(db)
    const refused = refuseDropped(arrivals, sealed.since)
    // Duplicates are dropped before wallets are interned: no id is assigned in vain.
    const [{ pools, poolEvents, signatures, completed }, walletIds] = await Promise.all([
      this.groupNew(arrivals, mode, sealed),
      internWallets(
        db,
        this.wallets,
        this.learned,
        arrivals.swaps.map(({ event }) => event),
      ),
      this.tagged.refresh(db),
    ])
    const effects: PoolEffects = {
      lane: this.context.lane,
      sealed,
      topology: this.context.topology,
      walletIds,
      accepted: [],
      acceptedBytes: [],
      signatures,
      candles: [],
      poolEvents: poolEvents.map(({ event }) => ({
        ...event,
        state: this.stateOf(event.poolEvent),
      })),
      impactUpdates: [],
      completed,
      repairs: [],
      touched: pools.map((pool) => pool.state),
      ...otherEffects(arrivals),
      refused,
      removeReadmitted,
      decimals: this.decimals,
      decimalsChanged: [],
    }
    const decimalsBefore = effects.touched.map(({ last }) => last?.quoteDecimals)
    const late: LateArrivals[] = []
    for (const pool of pools) {
      const folded = foldPool(pool)
      for (const { accepted, bytes } of folded.swaps) {
        accepted.walletTags = this.tagged.of(walletIds.get(accepted.swap.user)!)
        effects.accepted.push(accepted)
        effects.acceptedBytes.push(bytes)
      }
      effects.candles.push(folded.candles)
      if (folded.needsRepair) effects.repairs.push(pool.state.poolId)
      if (folded.late !== undefined) late.push(folded.late)
    }
    const { tokens, touched } = effects
    effects.decimalsChanged = this.decimals.changedBy(tokens, touched, decimalsBefore)
    await this.chunkWidth.prepare(effects.accepted)
    effects.impactUpdates = await this.settleLate(late)
    if (effects.repairs.length > 0) this.repair = 'unknown'
    return poolBatch(effects)
  }

  /** Safe here: had the commit of the previous batch failed, the lane's memory would have been dropped. */
  private rememberLearned(): void {
    for (const [address, id] of this.learned) this.wallets.set(address, id)
    this.learned.clear()
  }

  /**
   * A batch that met stored events is retried by a fresh memory that looks them up, and one that met a seal by one that reads
   * what was sealed; a second refusal is a failure.
   */
  afterRefusal(error: unknown): LaneMemory | undefined {
    if (error instanceof HistoryMoved) return new PoolLane(this.context, this.lookUp)
    if (!(error instanceof StoredAlready) || this.lookUp.mode === 'looking') return undefined
    this.lookUp.refused()
    return new PoolLane(this.context, this.lookUp)
  }

  async foldIdle(): Promise<Batch | undefined> {
    const retraction = this.hasRetractions ? await this.foldRetractions() : undefined
    if (retraction !== undefined) return retraction
    if (this.repair === undefined) return undefined
    const folded = await foldRepair(this.context, (pairAddress, tokenAddress) =>
      this.states.get({ pairAddress, tokenAddress }),
    )
    this.repair = folded === undefined ? undefined : 'unknown'
    return folded
  }

  /** The next retraction, or what retractions before let in. */
  private async foldRetractions(): Promise<Batch | undefined> {
    const next = await nextRetraction(this.context)
    if (next !== undefined) {
      // Another lane may have read it before this one.
      this.retracted?.add(retractionOfRow(next))
      const applied = await foldRetraction(this.context, next)
      // The commit changes the rows of pools.
      this.states.clear()
      this.repair = 'unknown'
      return applied
    }
    const readmission = await readmitted(this.context)
    this.hasRetractions = readmission !== undefined
    if (readmission === undefined) return undefined
    this.retracted ??= await loadRetractedBlocks(this.context.db)
    const arrivals = noArrivals()
    for (const event of readmission.events) {
      if (event.kind === 'swap') arrivals.swaps.push({ event, run: undefined })
      else if (event.kind === 'pool_event') arrivals.poolEvents.push({ event, run: undefined })
    }
    dropRetracted(arrivals, this.retracted)
    this.rememberLearned()
    // A batch that no message brought cannot be refused and repeated.
    return this.foldArrivals(arrivals, 'looking', readmission.remove)
  }

  /** New events, by pool. */
  private async groupNew(arrivals: Arrivals, mode: LookUpMode, sealed: Sealed) {
    const [{ swaps, completed, signatures }, { fresh: poolEvents, completed: completedEvents }] =
      await Promise.all([
        this.dropKnownSwaps(arrivals, mode, sealed),
        this.dropKnownPoolEvents(arrivals),
      ])
    const pools = await this.groupByPool(swaps, poolEvents, mode)
    return {
      ...{ pools, poolEvents, signatures },
      completed: { swaps: completed, poolEvents: completedEvents },
    }
  }

  /** The swaps that are new; every other is counted as a duplicate or as a conflict. */
  private async dropKnownSwaps(arrivals: Arrivals, mode: LookUpMode, sealed: Sealed) {
    if (mode === 'trusting') await this.assertUnsealed(arrivals.swaps, sealed)
    const known = mode === 'trusting' ? undefined : await this.lookUpSwaps(arrivals.swaps)
    const asEvent = (swap: Swap) => ({ kind: 'swap' as const, swap })
    const first = new FirstSwaps(known?.swaps ?? [])
    const deliveries = new Deliveries(
      first,
      ({ swap }: Arrival<'swap'>['event']) => swap,
      (swap) => wireEventOf(asEvent(swap)),
    )
    const { fresh, completed, conflicts } = deliveries.sort(arrivals.swaps, arrivals.runs, {
      fresh: 'accepted',
      again: 'duplicate',
    })
    for (const { run, conflict } of conflicts) {
      this.keepOut(arrivals, run, conflictOf(conflict, asEvent))
    }
    return { swaps: fresh, completed, signatures: known && new SignatureRows(known.signatures) }
  }

  /** The unique index knows nothing of sealed swaps, so those of sealed slots are looked up in any mode. */
  private async assertUnsealed(arrivals: readonly Arrival<'swap'>[], { lastSlot }: Sealed) {
    const old = arrivals.flatMap(({ event: { swap } }) => (swap.slot <= lastSlot ? [swap] : []))
    if (old.length > 0) await assertUnknown(this.context.db, old)
  }

  /** Counted, logged, and listed by the commit. */
  private keepOut(arrivals: Arrivals, run: string | undefined, conflict: Conflict): void {
    arrivals.runs.count(run, 'conflict')
    arrivals.conflicts.push(conflict)
    const { kind, rejected } = conflict
    const { signature, pairAddress } = payloadOf(rejected)
    const { log } = this.context
    log.warn({ kind, event: rejected.kind, signature, pairAddress }, 'rejected conflicting event')
  }

  /** Stored swaps with these signatures and pairs. */
  private async lookUpSwaps(arrivals: readonly Arrival<'swap'>[]): Promise<Known> {
    const swaps = arrivals.map(({ event }) => event.swap)
    const known = await loadKnownSwaps(this.context.db, swaps)
    this.lookUp.looked(swaps.length, known.signatures.length > 0)
    return known
  }

  private async dropKnownPoolEvents(arrivals: Arrivals) {
    const stored = await loadKnownPoolEvents(
      this.context.db,
      arrivals.poolEvents.map(({ event }) => event.poolEvent),
    )
    const asEvent = (poolEvent: PoolEvent) => ({ kind: 'pool_event' as const, poolEvent })
    const deliveries = new Deliveries(
      new FirstPoolEvents(stored),
      ({ poolEvent }: Arrival<'pool_event'>['event']) => poolEvent,
      (poolEvent) => wireEventOf(asEvent(poolEvent)),
    )
    const sorted = deliveries.sort(arrivals.poolEvents, arrivals.runs, {
      fresh: 'other',
      again: 'other',
    })
    for (const { run, conflict } of sorted.conflicts) {
      this.keepOut(arrivals, run, conflictOf(conflict, asEvent))
    }
    return sorted
  }

  private stateOf(event: PoolName): PoolState {
    return this.states.get(event)!
  }

  /** Reads the states that are not in memory, and groups new events by pool. */
  private async groupByPool(
    swaps: readonly Arrival<'swap'>[],
    poolEvents: readonly Arrival<'pool_event'>[],
    mode: LookUpMode,
  ): Promise<PoolArrivals[]> {
    if (this.states.size > POOLS_REMEMBERED) this.states.clear()
    const groups: Group[] = []
    const byPool = new ByPool<Group>()
    const groupOf = (name: PoolName) => {
      let group = byPool.get(name)
      if (group === undefined) {
        group = { name, swaps: [], poolEvents: [] }
        byPool.set(name, group)
        groups.push(group)
      }
      return group
    }
    for (const arrival of swaps) groupOf(arrival.event.swap).swaps.push(arrival.event)
    for (const { event } of poolEvents) groupOf(event.poolEvent).poolEvents.push(event.poolEvent)
    const missing = groups.filter(({ name }) => this.states.get(name) === undefined)
    const names = missing.map(({ name }) => name)
    const { db } = this.context
    // A redelivered swap may name another mint: it must not create a pool, even in trusting mode.
    const assertNew = (fresh: readonly PoolName[]) => {
      const brought = fresh.flatMap((name) => byPool.get(name)?.swaps ?? [])
      return assertUnknown(
        db,
        brought.map(({ swap }) => swap),
      )
    }
    const pools = await loadPools(db, names, mode === 'trusting' ? assertNew : undefined)
    for (const state of pools) this.states.set(state, state)
    return groups.map(({ name, swaps, poolEvents }) => ({
      state: this.stateOf(name),
      swaps,
      poolEvents,
    }))
  }

  /** Impacts that late arrivals change: of the late swaps themselves, and of stored neighbours. */
  private async settleLate(late: LateArrivals[]): Promise<ImpactUpdate[]> {
    if (late.length === 0) return []
    const { db } = this.context
    const neighbours = await loadNeighbours(db, late.flatMap(probesOf))
    const adjacent = late.flatMap((arrivals) =>
      adjacentPairs({ ...arrivals, neighbours: neighbours.get(arrivals.state.poolId) ?? [] }),
    )
    const isDisturbed = await loadDisturbances(db, adjacent)
    return adjacent.flatMap((pair, index) => settlePair(pair, isDisturbed[index] === true) ?? [])
  }
}

/** Leaves out the events of retracted blocks. */
function dropRetracted(arrivals: Arrivals, retracted: RetractedBlocks): void {
  if (retracted.isEmpty) return
  const outcomes = { swap: 'retracted_swap', poolEvent: 'retracted_pool_event' } as const
  const leftOut = leaveOut(arrivals, (event) => retracted.has(event), outcomes)
  arrivals.retractedCount += leftOut.length
}

function conflictOf<Arriving>(
  { kind, stored, rejected }: Conflict<Arriving>,
  asEvent: (event: Arriving) => ChainEvent,
): Conflict {
  return { kind, stored: asEvent(stored), rejected: asEvent(rejected) }
}
