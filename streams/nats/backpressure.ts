/**
 * Backpressure hints from the pool lanes to publishers: while CPU is short they micro-batch so much longer than when
 * idle. Events wait for them meanwhile anyway, so they may as well arrive in fewer messages, each of which costs the
 * publisher, the server and the lane.
 *
 * A hint is neither stored nor awaited: without one, or with an old or garbled one, a publisher acts as for idle lanes.
 *
 * Decision: docs/decisions/0011-backpressure-hints-to-publishers.md
 */
import type { JetStream } from './jetstream.ts'
import { paceSubject, type SubjectPrefix } from './subject.ts'

/** A smaller delay is not published: an idle lane's commit that was slow once. */
const REPORTED_FROM_MS = 60
/** A lane publishes a hint with each commit, about ten times a second; silent for longer, it counts as idle. */
const FRESH_MS = 500
/** However long a lane micro-batches, a publisher waits no longer than this for more events. */
const MORE_MS_MAX = 50

/** To be called with each commit; `moreMs`: how much further apart they are than an idle lane's. */
export function publishPaceHint(
  jetStream: JetStream,
  prefix: SubjectPrefix,
  lane: number,
  moreMs: number,
): void {
  if (moreMs < REPORTED_FROM_MS) return
  jetStream.send(paceSubject(prefix, lane), Buffer.from(`${Math.round(moreMs)}`))
}

type PaceHint = {
  /** How much longer a partial batch may wait for more events. */
  moreMs(): number
  close(): void
}

export function listenForPaceHint(jetStream: JetStream, prefix: SubjectPrefix): PaceHint {
  let newest = { moreMs: 0, atMs: 0 }
  const close = jetStream.listen(paceSubject(prefix, '*'), (payload) => {
    const moreMs = Number(Buffer.from(payload).toString('latin1'))
    if (moreMs > 0) newest = { moreMs, atMs: performance.now() }
  })
  return {
    moreMs() {
      const isFresh = performance.now() - newest.atMs < FRESH_MS
      // Half of the lane's delay: the lane adapts to the sum of both.
      return isFresh ? Math.min(newest.moreMs / 2, MORE_MS_MAX) : 0
    },
    close,
  }
}
