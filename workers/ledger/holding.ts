/**
 * A position in a lane's memory, and its changes by a batch: pure.
 *
 * Law: a flush returns the changes that the rows still lack, so after each flush memory and rows agree. Snapshots are
 * made between segments (hours.ts), never of a position that waits for its recompute: a recompute must not begin with a
 * state that is known to be wrong.
 */

import { compareSwaps, type SwapOrderKey } from '../../domain/events/swap.ts'
import { type HourFigures, SEGMENT_SWAPS } from '../../domain/ledger/hours.ts'
import { CHUNK_LOTS, type SealedChunk } from '../../domain/ledger/lots.ts'
import {
  applyToPosition,
  emptyPosition,
  type LedgerSwap,
  type PositionState,
} from '../../domain/ledger/position.ts'
import type { FeedMark } from '../../streams/codec/event-codec.ts'
import { packState, unpackState } from './rows/packed-position.ts'

/** Stored snapshots of a position: a late swap is folded in from one of them unless it is very late. */
export const SNAPSHOTS_STORED = 4

/** Recent swaps cached of a position that never got a late swap. */
const RECENT_PUNCTUAL = 48

/** Commits of each pool lane up to which all swaps are applied. */
export type Cover = readonly number[]

/**
 * Watermarks of a recompute from the table: it applied the swaps of these commits, from a slot on. An older
 * swap was not read again; if it was never decoded either, FEED is still to deliver it.
 */
type SwapCover = { readonly commits: Cover; readonly fromSlot: number }

export type Holding = {
  readonly walletId: number
  readonly tokenId: number
  state: PositionState
  /** Whether surely no row of it is stored: it is written without looking for one. */
  isNew: boolean
  /** Whether a recompute of it is queued. */
  isPending: boolean
  /** Set when it was folded from the `swap` table: the commits of FEED that it already contains. */
  cover: SwapCover | undefined
  /** Made since the last flush. */
  snapshots: Snapshot[]
  recent: Recent | undefined
}

/**
 * The swaps since a boundary of two segments, and the state at it (absent: the empty one), so that a swap that is a
 * little late is folded in from memory. Only a few are cached until the first late one.
 */
type Recent = {
  readonly base: Buffer | undefined
  readonly after: SwapOrderKey | undefined
  readonly wasLate: boolean
  swaps: LedgerSwap[]
}

type Snapshot = { swapCount: number; slot: number; firstChunk: number; bytes: Buffer }

/** Changes of a position that are not stored yet. */
export type Change = {
  holding: Holding
  wasNew: boolean
  hours: HourFigures[]
  sealed: SealedChunk[]
  snapshots: Snapshot[]
  /** The point from which the position was recomputed, if it was: rows after it are replaced. */
  again: Again | undefined
}

/**
 * Where a recompute begins, a boundary of two segments or a snapshot of a day within one: the swaps before it, and the first chunk of
 * lots that was not sealed (a chunk is sealed by the lot that begins the next one).
 */
export type Again = {
  swapCount: number
  chunk: number
  /** The least slot of a swap that the recompute adds. */
  fromSlot: number
}

/** Applies swaps that are newer than the last, in canonical order; their lots are in memory. */
export function applySwaps(holding: Holding, swaps: readonly LedgerSwap[]): void {
  const { state } = holding
  for (const swap of swaps) {
    applyToPosition(state, swap)
    if (holding.recent !== undefined) remember(holding, holding.recent, swap)
    if (state.swapCount % SEGMENT_SWAPS === 0) endSegment(holding)
  }
}

function remember(holding: Holding, recent: Recent, swap: LedgerSwap): void {
  // A list that begins with its swap has no room to spare: most positions never have two.
  if (recent.swaps.length === 0) recent.swaps = [swap]
  else if (recent.swaps.length < RECENT_PUNCTUAL || recent.wasLate) recent.swaps.push(swap)
  else holding.recent = undefined
}

function endSegment(holding: Holding): void {
  if (holding.isPending) {
    holding.recent = undefined
    return
  }
  takeSnapshot(holding)
  if (holding.recent === undefined) return
  const base = holding.snapshots.at(-1)?.bytes
  const { wasLate } = holding.recent
  holding.recent = { base, after: holding.state.last, wasLate, swaps: [] }
}

/** A position set back to where its recent swaps begin, and its recent and late swaps, in order. */
type Rewound = { holding: Holding; swaps: LedgerSwap[]; again: Again }

/** Undefined when a late swap (in order, the first is the earliest) is older than all that is recent. */
export function rewind(holding: Holding, late: readonly LedgerSwap[]): Rewound | undefined {
  const { recent } = holding
  const [earliest] = late
  if (recent === undefined || earliest === undefined) return undefined
  if (recent.after !== undefined && compareSwaps(earliest, recent.after) <= 0) return undefined
  const swaps = [...recent.swaps, ...late].sort(compareSwaps)
  const distinct = swaps.filter((swap, n) => n === 0 || compareSwaps(swaps[n - 1]!, swap) !== 0)
  const state = recent.base === undefined ? emptyPosition() : unpackState(recent.base)
  return {
    holding: { ...holding, state, snapshots: [], recent: { ...recent, wasLate: true, swaps: [] } },
    swaps: distinct,
    again: resumePointOf(state, earliest.slot),
  }
}

/** The swap count and chunk of lots from which a recompute resumes at the state of a snapshot. */
export function resumePointOf({ swapCount, lots }: PositionState, fromSlot: number): Again {
  return { swapCount, chunk: Math.floor((lots.next - 1) / CHUNK_LOTS), fromSlot }
}

/** Marks the counts that are at most `eachMax` and, with the marked ones before, at most `allMax` together. */
export function withinBounds(
  counts: readonly number[],
  eachMax: number,
  allMax: number,
): boolean[] {
  let room = allMax
  return counts.map((count) => {
    const isWithin = count <= Math.min(room, eachMax)
    if (isWithin) room -= count
    return isWithin
  })
}

function takeSnapshot({ state, snapshots }: Holding): void {
  if (snapshots.length === SNAPSHOTS_STORED) snapshots.shift()
  snapshots.push({
    swapCount: state.swapCount,
    slot: state.last?.slot ?? 0,
    firstChunk: state.lots.firstSealedChunk,
    bytes: packState(state),
  })
}

/** Returns the changes that the rows lack, and clears them. */
export function flush(holding: Holding, again?: Again): Change {
  const { state, snapshots } = holding
  const hours = state.hours.values()
  state.hours.clear()
  holding.snapshots = []
  const wasNew = holding.isNew
  holding.isNew = false
  return { holding, wasNew, hours, sealed: state.lots.takeSealed(), snapshots, again }
}

/** Whether a commit of a pool lane is already applied. */
export function covers(cover: Cover | undefined, poolLane: number, commitNumber: number): boolean {
  return cover !== undefined && commitNumber <= (cover[poolLane] ?? 0)
}

/** Whether a position was folded from the table with a swap that FEED publishes. */
export function coversSwap(cover: SwapCover | undefined, { swap, mark }: DecodedSwap): boolean {
  return (
    cover !== undefined &&
    swap.slot >= cover.fromSlot &&
    covers(cover.commits, mark.poolLane, mark.commitNumber)
  )
}

export type DecodedSwap = { swap: LedgerSwap; mark: FeedMark }

/** Approximate bytes in memory of a position without its lots, and of each of its recent swaps. */
const HOLDING_BYTES = 2_000
const RECENT_BYTES = 300

export const bytesOf = ({ state, recent }: Holding): number =>
  HOLDING_BYTES + RECENT_BYTES * (recent?.swaps.length ?? 0) + state.lots.heldBytes

/**
 * A bounded cache of positions in two generations, as IdCache is for ids. The bound is in bytes, because a position
 * with late swaps holds up to a thousand of them, and one that buys holds 256 lots.
 */
export class Holdings {
  private young = new Map<HoldingKey, Holding>()
  private old = new Map<HoldingKey, Holding>()
  private youngBytes = 0
  private readonly bytesMax: number

  /** `bytesMax`: of a generation, about; at most twice as many are held. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  get(key: HoldingKey): Holding | undefined {
    const holding = this.young.get(key)
    if (holding !== undefined) return holding
    const older = this.old.get(key)
    if (older !== undefined) this.keep(key, older)
    return older
  }

  set(holding: Holding): void {
    this.keep(holdingKey(holding), holding)
  }

  private keep(key: HoldingKey, holding: Holding): void {
    this.young.set(key, holding)
    this.youngBytes += bytesOf(holding)
  }

  /** Cached positions grew by so many bytes. */
  grew(bytes: number): void {
    this.youngBytes += bytes
  }

  /** Drops the older generation when the younger is full; between batches only. */
  age(): void {
    if (this.youngBytes < this.bytesMax) return
    this.old = this.young
    this.young = new Map()
    this.youngBytes = 0
  }
}

export type PositionName = { walletId: number; tokenId: number }

/** Both ids in one safe integer where they fit, which spares a text a swap; else a text. */
export type HoldingKey = number | string

const WALLETS_IN_NUMBER = 2 ** 29
const TOKENS_IN_NUMBER = 2 ** 24

export function holdingKey({ walletId, tokenId }: PositionName): HoldingKey {
  return walletId < WALLETS_IN_NUMBER && tokenId < TOKENS_IN_NUMBER
    ? walletId * TOKENS_IN_NUMBER + tokenId
    : holdingName({ walletId, tokenId })
}

/** For people. */
export const holdingName = ({ walletId, tokenId }: PositionName): string => `${walletId}:${tokenId}`
