/**
 * A position in a lane's memory, and what a batch did to it: pure.
 *
 * Law: what a flush takes out is what the rows still lack, so after each flush memory and rows say the
 * same. Snapshots are taken between segments (hours.ts), never of a position that waits to be folded
 * again: folding must not begin with what is known to be wrong.
 */
import type { Swap } from '../../streams/swap.ts'
import { type HourFigures, SEGMENT_SWAPS } from './hours.ts'
import type { SealedChunk } from './lots.ts'
import { packState } from './packed-position.ts'
import { applyToPosition, type PositionState } from './position.ts'

/** Snapshots of a position that are kept: a swap is folded in from one unless it is very late. */
export const SNAPSHOTS_KEPT = 4

/** Commits of each pool lane up to which all swaps are taken in. */
export type Cover = readonly number[]

export type Holding = {
  readonly walletId: number
  readonly tokenId: number
  state: PositionState
  /** Whether a row says that it is to be folded again. */
  isPending: boolean
  /** Set when it was folded from the `swap` table: what of the feed it holds already. */
  cover: Cover | undefined
  /** Taken since the last flush. */
  snapshots: Snapshot[]
}

export type Snapshot = { swapCount: number; slot: number; firstChunk: number; bytes: Buffer }

/** What the rows of a position lack. */
export type Change = {
  holding: Holding
  hours: HourFigures[]
  sealed: SealedChunk[]
  snapshots: Snapshot[]
  /** Where folding again began, if it did: what rows hold behind it is replaced. */
  again: Again | undefined
}

/** A place between two segments: swaps before it, and the first chunk of lots that was not sealed. */
export type Again = { swapCount: number; chunk: number }

/** Applies swaps that are newer than the last, in canonical order; their lots are in memory. */
export function applySwaps(holding: Holding, swaps: readonly Swap[]): void {
  const { state } = holding
  for (const swap of swaps) {
    applyToPosition(state, swap)
    if (state.swapCount % SEGMENT_SWAPS === 0 && !holding.isPending) takeSnapshot(holding)
  }
}

function takeSnapshot({ state, snapshots }: Holding): void {
  if (snapshots.length === SNAPSHOTS_KEPT) snapshots.shift()
  snapshots.push({
    swapCount: state.swapCount,
    slot: state.last?.slot ?? 0,
    firstChunk: state.lots.firstSealedChunk,
    bytes: packState(state),
  })
}

/** Takes out what the rows lack. */
export function flush(holding: Holding, again?: Again): Change {
  const { state, snapshots } = holding
  const hours = [...state.hours.values()]
  state.hours.clear()
  holding.snapshots = []
  return { holding, hours, sealed: state.lots.takeSealed(), snapshots, again }
}

/** Whether a position, or a lane, holds a commit of a pool lane already. */
export function covers(cover: Cover | undefined, poolLane: number, commitNumber: number): boolean {
  return cover !== undefined && commitNumber <= (cover[poolLane] ?? 0)
}

/** A bounded memory of positions in two generations, as Dictionary is one of ids. */
export class Holdings {
  private young = new Map<string, Holding>()
  private old = new Map<string, Holding>()
  private readonly limit: number

  /** `limit`: positions a generation; at most twice as many are held. */
  constructor(limit: number) {
    this.limit = limit
  }

  get(key: string): Holding | undefined {
    const holding = this.young.get(key)
    if (holding !== undefined) return holding
    const older = this.old.get(key)
    if (older !== undefined) this.young.set(key, older)
    return older
  }

  set(holding: Holding): void {
    this.young.set(holdingKey(holding), holding)
  }

  /** Lets go of the older half when the younger is full; between batches only. */
  age(): void {
    if (this.young.size < this.limit) return
    this.old = this.young
    this.young = new Map()
  }
}

export type PositionName = { walletId: number; tokenId: number }

export const holdingKey = ({ walletId, tokenId }: PositionName): string => `${walletId}:${tokenId}`
