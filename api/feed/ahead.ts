/** Waits for a position of FEED that another API process has read and this one has not yet. */
import type { FeedOffset } from '../../streams/feed/feed-cursor.ts'
import type { FeedHub } from './log/feed-reader.ts'

/** Sequence of the newest message that an offset refers to. */
export function newestNeeded({ sequence, eventCount }: FeedOffset): number {
  return eventCount === 0 ? sequence : sequence + 1
}

/** Whether the hub reaches the sequence within the bound. */
export async function hasRead(
  hub: FeedHub,
  sequence: number,
  boundMs: number,
  over: AbortSignal,
): Promise<boolean> {
  if (sequence <= hub.head()) return true
  await new Promise<void>((resolve) => {
    const until = AbortSignal.any([over, AbortSignal.timeout(boundMs)])
    const onBatch = (): void => {
      if (sequence <= hub.head() || until.aborted) end()
    }
    const leave = hub.subscribe({ onBatch })
    const end = (): void => {
      leave()
      until.removeEventListener('abort', end)
      resolve()
    }
    until.addEventListener('abort', end, { once: true })
    onBatch()
  })
  return sequence <= hub.head()
}
