/**
 * The contract of a source of events: a file, a pipe, the simulator, and whatever else brings swaps in.
 *
 *   open(cursor, signal) -> batch, batch, ...      run-source.ts publishes the events and acknowledges the cursors
 *
 * Invariants, which test/streams/sources/conformance.test.ts checks for every line of SOURCES (table.ts):
 * - Opened after the cursor of a batch, a source yields exactly what follows that batch: no loss, no duplicate.
 * - A source reads on only when the next batch is requested (backpressure), and a batch is bounded, so memory does not
 *   grow with the input.
 * - An abort ends the iteration without an error, at once, also while the source waits for input.
 * - Input that cannot be used is reported as a notice with its place, and what follows it is still yielded.
 */
import type { BlockReading } from '../../domain/decoder-warning.ts'
import { type Event, isChainEvent, payloadOf } from '../../domain/events/event.ts'
import type { StatedName } from '../../domain/events/stated-name.ts'
import type { Refusal } from '../ingest/refusal.ts'

/** Position in a source, opaque to everything but that source; "after this batch". */
export type Cursor = string

/** A batch yields at most so many events. */
export const SOURCE_BATCH_EVENTS_MAX = 2_000

export type SourceBatch = {
  /** In the order of the source; empty where only the cursor advances. */
  readonly events: readonly Event[]
  readonly cursor: Cursor
  /** Units of input that were read for this batch: lines of a file, swaps of the simulator, slots of the chain. */
  readonly units: number
  /** Share of the input that was read so far, 0 to 1; absent where the source does not know its end. */
  readonly share?: number
  /** The highest slot so far, and its time: the lag of a live source is the clock less `timestampMs`. */
  readonly newest: ChainTime | undefined
  /** Slots that were passed over, both ends included; the cursor lies after them. */
  readonly gap?: { readonly from: number; readonly to: number }
  /** The block that its events are of. */
  readonly link?: ChainLink
  /** The slot of which these are the last events. */
  readonly endsSlot?: number
  /** The decoder's reading of the whole block; in its last batch. */
  readonly reading?: BlockReading
  /** Names of mints, which are no events. */
  readonly names?: readonly StatedName[]
  readonly notices: readonly SourceNotice[]
}

/** A block by its hash, and its parent. */
export type ChainLink = {
  readonly slot: number
  readonly blockhash: string
  readonly parentSlot: number
  readonly parentBlockhash: string
}

export type ChainTime = { readonly slot: number; readonly timestampMs: number }

/**
 * - `refused`: a unit of input, or a swap of a block, that yields no event
 * - `left_out`: fields of a unit whose event is yielded without them
 * - `mismatch`: a swap whose event the balances of its vaults contradict: it follows the vaults, or is refused
 * - `fork`: a block that was yielded is no longer part of the chain; the batch retracts it
 * - `gap`: slots that could not be read and were passed over, as the user allowed
 */
export type SourceNotice = {
  readonly kind: 'refused' | 'left_out' | 'mismatch' | 'fork' | 'gap'
  /** Where in the input: `FILE:LINE`, or `SLOT venue_N SIGNATURE`. */
  readonly at: string
  /** Never empty: a unit may break several rules. */
  readonly reasons: readonly Refusal[]
}

export type Source = {
  /** A live source has events in real time: an incomplete batch is published after a short linger. */
  readonly isLive: boolean
  /** `after`: a cursor that this source yielded before; absent: from the beginning. Ends or throws a SourceError. */
  open(after: Cursor | undefined, signal: AbortSignal): AsyncIterable<SourceBatch>
}

/** A retryable error ends one iteration: opening the source after its last cursor may succeed. Any other is final. */
export class SourceError extends Error {
  override name = 'SourceError'
  readonly isRetryable: boolean

  constructor(message: string, options: { isRetryable: boolean; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.isRetryable = options.isRetryable
  }
}

/** The newest of what was seen before and of these events; token lines have no time. */
export function newestOf(
  events: readonly Event[],
  before: ChainTime | undefined,
): ChainTime | undefined {
  let newest = before
  for (const event of events) {
    if (!isChainEvent(event)) continue
    const { slot, timestamp } = payloadOf(event)
    if (newest === undefined || slot > newest.slot) newest = { slot, timestampMs: timestamp }
  }
  return newest
}
