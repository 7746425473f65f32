/**
 * Gives way to a source that follows the chain: in the lanes its events would wait for those of a backfill. While such a
 * source runs and a lane lags, the backfill requests no further batch.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainSource } from '../../../chain/sources/reader.ts'

/** Messages of up to 200 events: about a second of a lane. */
const LAG_MAX = 50
const LOOK_MS = 1_000

export type LiveLag = {
  /** Whether a source that follows the chain runs, and the most messages that a lane lags. */
  look(): Promise<{ isLive: boolean; lag: number }>
  /** Called while the backfill waits. */
  onWait(lag: number): void
}

/** The same source, which waits between two batches where the lanes lag. */
export function givingWay(source: ChainSource, { look, onWait }: LiveLag): ChainSource {
  let lookedAt = Number.NEGATIVE_INFINITY
  const wait = async (signal: AbortSignal): Promise<void> => {
    if (performance.now() - lookedAt < LOOK_MS) return
    while (!signal.aborted) {
      lookedAt = performance.now()
      const { isLive, lag } = await look()
      if (!isLive || lag <= LAG_MAX) return
      onWait(lag)
      // An abort ends the source itself.
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
    }
  }
  return {
    isLive: source.isLive,
    counts: source.counts,
    get newestSlot() {
      return source.newestSlot
    },
    async *open(after, signal) {
      for await (const batch of source.open(after, signal)) {
        yield batch
        await wait(signal)
      }
    },
  }
}
