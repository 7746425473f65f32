/** Reads the metrics of which a sample is made, from where /metrics reads them. */
import { boundedRead } from '../bounded-read.ts'
import type { Operations } from '../operations.ts'
import type { Reading, RequestCounts } from './sample.ts'

export type ReadingSources = {
  operations?: Operations | undefined
  /** Absent: no feeds. */
  feed: () => { tailLagMs: number; swaps: number } | undefined
  requests: () => Promise<RequestCounts>
}

/** Never rejects: a server that does not answer in time is left out. */
export async function readMetrics(sources: ReadingSources): Promise<Reading> {
  const { operations } = sources
  const from = <Value>(read: (from: Operations) => Promise<Value>) =>
    operations && boundedRead(() => read(operations))
  const [lanes, queues, deadLetters, chain] = await Promise.all([
    from((given) => given.lanes()),
    from((given) => given.queues()),
    from((given) => given.countDeadLetters()),
    from((given) => given.sources()),
  ])
  const requests = await sources.requests()
  const takenMs = performance.now()
  const feed = sources.feed()
  return {
    takenMs,
    lanes: lanes?.map(({ latency_ms: latencyMs, ...lane }) => ({ ...lane, latencyMs })),
    feed: feed && { lagMs: feed.tailLagMs, swaps: feed.swaps },
    sources: chain && {
      lagsMs: chain.flatMap(({ state, lag_ms: ms }) =>
        state === 'running' && ms !== null ? ms : [],
      ),
      rejects: new Map(
        chain.flatMap(({ id, rejects }) =>
          Object.entries(rejects).map(([reason, count]) => [`${id} ${reason}`, count] as const),
        ),
      ),
    },
    requests,
    failedJobs: queues?.reduce((sum, { failed }) => sum + failed, 0),
    deadLetters,
  }
}
