/**
 * The pool actor: SWAP -> `swap`, `pool`, `pool_event`, `token` -> FEED. Key: the pool.
 *
 * Here it is wired: decode and check, drop duplicates, load the states that the fold needs, fold pool by pool
 * (pool.ts), settle late arrivals (late.ts). The statements of the commit are in write.ts.
 */

import type { PoolEvent } from '../../domain/events/pool-event.ts'
import type { Token } from '../../domain/events/token.ts'
import {
  decodeEventBatch,
  encodeAsItCame,
  type WireEvent,
} from '../../streams/codec/event-codec.ts'
import { WireError } from '../../streams/codec/protobuf.ts'
import { checkEvent, mendSwap, mendToken } from '../../streams/ingest/contract.ts'
import { RUN_HEADER } from '../../streams/ingest/publisher.ts'
import { explainRefusal } from '../../streams/ingest/refusal.ts'
import { publishPaceHint } from '../../streams/nats/backpressure.ts'
import type { StoredMessage } from '../../streams/nats/jetstream.ts'
import { feedSubjectsOfPoolLane, swapLaneFilter } from '../../streams/nats/subject.ts'
import type { Actor, Batch, LaneContext, LaneMemory } from '../runtime/actor.ts'
import type { DeadLetter } from '../runtime/dead-letter.ts'
import { type IdCache, sharedIdCache } from '../runtime/ids/id-cache.ts'
import { LaneAlignment } from '../runtime/pacing/lane-alignment.ts'
import { ByPool, type PoolName } from './by-pool.ts'
import {
  type Conflict,
  type ConflictEvent,
  FirstPoolEvents,
  FirstSwaps,
  type Judgement,
} from './contradiction.ts'
import { foldPool, type PoolArrivals } from './fold.ts'
import {
  adjacentPairs,
  type ImpactUpdate,
  type LateArrivals,
  probesOf,
  settlePair,
} from './impact/late.ts'
import { foldRepair, type Repair } from './impact/repair.ts'
import { LookUp, StoredAlready } from './look-up.ts'
import type { PoolState } from './pool.ts'
import { recallCommit } from './published-batch.ts'
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
import { type TokenDecimals, tokenDecimalsOf } from './token-decimals.ts'
import { ChunkWidth } from './write/chunk-width.ts'
import { RunCounts } from './write/run-counts.ts'
import { SignatureRows } from './write/signature-rows.ts'
import { type PoolEffects, poolBatch } from './write/write.ts'

/** Wallet ids remembered by a process, twice (two generations): about 100 MB. */
const WALLETS_REMEMBERED = 300_000
/** Pool states cached by a lane; beyond it the whole cache is dropped, and states are read again on demand. */
const POOLS_REMEMBERED = 50_000

/** Names of runs: `ingest` gives random ones, tools of others theirs. */
const RUN = /^[\x21-\x7e]{1,200}$/

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

type Arrival<Kind extends WireEvent['kind']> = {
  event: Extract<WireEvent, { kind: Kind }>
  run: string | undefined
}

/** Events of a batch in one pool; `name` is one of them. */
type Group = Omit<PoolArrivals, 'state'> & { name: PoolName }

type Arrivals = {
  swaps: Arrival<'swap'>[]
  poolEvents: Arrival<'pool_event'>[]
  tokens: Token[]
  deadLetters: DeadLetter[]
  conflicts: Conflict[]
  runs: RunCounts
}

class PoolLane implements LaneMemory {
  private readonly context: LaneContext
  private readonly lookUp: LookUp
  private readonly wallets: IdCache
  /** New wallet ids, cached once the commit that uses them has succeeded. */
  private readonly learned = new Map<string, number>()
  private readonly tagged: TaggedWallets
  private readonly states = new ByPool<PoolState>()
  private readonly chunkWidth: ChunkWidth
  private readonly inStep: LaneAlignment
  private readonly decimals: TokenDecimals
  private repair: Repair | 'unknown' | undefined = 'unknown'

  constructor(context: LaneContext, lookUp: LookUp) {
    this.context = context
    this.lookUp = lookUp
    this.wallets = sharedIdCache(context.db, 'wallet', WALLETS_REMEMBERED)
    this.tagged = taggedWalletsOf(context.db)
    this.chunkWidth = new ChunkWidth(context.db, context.topology.laneCount)
    this.inStep = new LaneAlignment(context)
    this.decimals = tokenDecimalsOf(context.db, context.log)
  }

  untilDue(signal: AbortSignal): Promise<void> {
    return this.inStep.untilOthers(signal)
  }

  async fold(messages: readonly StoredMessage[]): Promise<Batch> {
    this.inStep.took(messages)
    this.rememberLearned()
    const arrivals = this.decode(messages)
    const { db } = this.context
    // Duplicates are dropped before wallets are interned: no id is assigned in vain.
    const [{ pools, poolEvents, signatures }, walletIds] = await Promise.all([
      this.groupNew(arrivals),
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
      tokens: arrivals.tokens,
      impactUpdates: [],
      repairs: [],
      touched: pools.map((pool) => pool.state),
      runs: arrivals.runs,
      deadLetters: arrivals.deadLetters,
      conflicts: arrivals.conflicts,
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

  /** A batch that met stored events is retried by a fresh memory that looks them up; a second refusal is a failure. */
  afterRefusal(error: unknown): LaneMemory | undefined {
    if (!(error instanceof StoredAlready) || this.lookUp.mode === 'looking') return undefined
    this.lookUp.refused()
    return new PoolLane(this.context, this.lookUp)
  }

  async foldIdle(): Promise<Batch | undefined> {
    if (this.repair === undefined) return undefined
    const folded = await foldRepair(this.context, (pairAddress, tokenAddress) =>
      this.states.get({ pairAddress, tokenAddress }),
    )
    this.repair = folded === undefined ? undefined : 'unknown'
    return folded
  }

  private decode(messages: readonly StoredMessage[]): Arrivals {
    const arrivals: Arrivals = {
      swaps: [],
      poolEvents: [],
      tokens: [],
      deadLetters: [],
      conflicts: [],
      runs: new RunCounts(),
    }
    for (const message of messages) this.decodeMessage(message, arrivals)
    return arrivals
  }

  private decodeMessage(message: StoredMessage, arrivals: Arrivals): void {
    const run = runOf(message)
    const bury = (part: number, reason: string, payload: Uint8Array) => {
      const { sequence, subject } = message
      arrivals.deadLetters.push({ sequence, part, subject, reason, payload })
      arrivals.runs.count(run, 'dead')
    }
    let events: WireEvent[]
    try {
      events = decodeEventBatch(message.payload)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      bury(0, `does not parse: ${error.message}`, message.payload)
      return
    }
    for (const [part, came] of events.entries()) {
      const event = this.withoutBadFields(came, message)
      const refusal = checkEvent(event)
      if (refusal !== undefined) {
        bury(part, explainRefusal(refusal), encodeAsItCame(came))
      } else if (event.kind === 'swap') arrivals.swaps.push({ event, run })
      else if (event.kind === 'pool_event') arrivals.poolEvents.push({ event, run })
      else {
        arrivals.tokens.push(event.token)
        arrivals.runs.count(run, 'other')
      }
    }
  }

  /** Another program than ours may have written the message: lines count as `ingest` lets them in. */
  private withoutBadFields(event: WireEvent, { sequence }: StoredMessage): WireEvent {
    if (event.kind === 'pool_event') return event
    const isSwap = event.kind === 'swap'
    const { warnings, ...mended } = isSwap ? mendSwap(event.swap) : mendToken(event.token)
    if (warnings.length > 0) {
      const of = isSwap
        ? { signature: event.swap.signature }
        : { tokenAddress: event.token.tokenAddress }
      this.context.log.warn(
        { sequence, ...of, fields: warnings.map(explainRefusal) },
        'ignored invalid fields of event',
      )
    } else if (isSwap) return event
    return { ...event, ...mended } as WireEvent
  }

  /** New events, by pool. */
  private async groupNew(arrivals: Arrivals) {
    const [{ swaps, signatures }, poolEvents] = await Promise.all([
      this.dropKnownSwaps(arrivals),
      this.dropKnownPoolEvents(arrivals),
    ])
    return { pools: await this.groupByPool(swaps, poolEvents), poolEvents, signatures }
  }

  /** The swaps that are new; every other is counted as a duplicate or as a conflict. */
  private async dropKnownSwaps(
    arrivals: Arrivals,
  ): Promise<{ swaps: Arrival<'swap'>[]; signatures: SignatureRows | undefined }> {
    const known = await this.lookUpSwaps(arrivals.swaps)
    const first = new FirstSwaps(known?.swaps ?? [])
    const swaps = arrivals.swaps.filter(({ event, run }) => {
      const verdict = first.judge(event.swap)
      if (verdict === 'new' || verdict === 'duplicate') {
        arrivals.runs.count(run, verdict === 'new' ? 'accepted' : verdict)
      } else
        this.keepOut(
          arrivals,
          run,
          conflictOf(verdict, (swap) => ({ kind: 'swap', swap })),
        )
      return verdict === 'new'
    })
    return { swaps, signatures: known && new SignatureRows(known.signatures) }
  }

  /** Counted, logged, and listed by the commit. */
  private keepOut(arrivals: Arrivals, run: string | undefined, conflict: Conflict): void {
    arrivals.runs.count(run, 'conflict')
    arrivals.conflicts.push(conflict)
    const { kind, keptOut } = conflict
    const { signature, pairAddress } = keptOut.kind === 'swap' ? keptOut.swap : keptOut.poolEvent
    const { log } = this.context
    log.warn({ kind, event: keptOut.kind, signature, pairAddress }, 'rejected conflicting event')
  }

  /** Stored swaps with these signatures and pairs; undefined in the mode that does not look. */
  private async lookUpSwaps(arrivals: readonly Arrival<'swap'>[]): Promise<Known | undefined> {
    if (this.lookUp.mode === 'trusting') return undefined
    const swaps = arrivals.map(({ event }) => event.swap)
    const known = await loadKnownSwaps(this.context.db, swaps)
    this.lookUp.looked(swaps.length, known.signatures.length > 0)
    return known
  }

  private async dropKnownPoolEvents(arrivals: Arrivals): Promise<Arrival<'pool_event'>[]> {
    const stored = await loadKnownPoolEvents(
      this.context.db,
      arrivals.poolEvents.map(({ event }) => event.poolEvent),
    )
    const first = new FirstPoolEvents(stored)
    return arrivals.poolEvents.filter(({ event, run }) => {
      const verdict = first.judge(event.poolEvent)
      if (verdict === 'new' || verdict === 'duplicate') arrivals.runs.count(run, 'other')
      else {
        const asEvent = (poolEvent: PoolEvent) => ({ kind: 'pool_event' as const, poolEvent })
        this.keepOut(arrivals, run, conflictOf(verdict, asEvent))
      }
      return verdict === 'new'
    })
  }

  private stateOf(event: PoolName): PoolState {
    return this.states.get(event)!
  }

  /** Reads the states that are not in memory, and groups new events by pool. */
  private async groupByPool(
    swaps: readonly Arrival<'swap'>[],
    poolEvents: readonly Arrival<'pool_event'>[],
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
    const isTrusting = this.lookUp.mode === 'trusting'
    const pools = await loadPools(db, names, isTrusting ? assertNew : undefined)
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

function conflictOf<Arriving>(
  { kind, stored, keptOut }: Exclude<Judgement<Arriving>, string>,
  asEvent: (told: Arriving) => ConflictEvent,
): Conflict {
  return { kind, stored: asEvent(stored), keptOut: asEvent(keptOut) }
}

/** Other publishers may set the header too: a value that is not the name of a run is ignored. */
function runOf(message: StoredMessage): string | undefined {
  const run = message.header(RUN_HEADER)
  return run !== undefined && RUN.test(run) ? run : undefined
}
