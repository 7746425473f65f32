/**
 * Word from the pool lanes to whoever publishes: for want of CPU they gather so much longer than at ease. What
 * comes meanwhile waits for them anyway, so it may as well come in fewer messages, each of which costs the
 * publisher, the server and the lane.
 *
 * Nobody keeps such a word or waits for it: where it is lost, old or garbled, all is as at ease.
 *
 * Decision: docs/decisions/0011-backpressure-hints-to-publishers.md
 */
import type { JetStream } from './jetstream.ts'
import { paceSubject, type SubjectPrefix } from './subject.ts'

/** Less is not told: a commit that stumbled at ease. */
const TOLD_FROM_MS = 60
/** A lane speaks with each commit, some ten times a second; silent for longer, it is at ease. */
const FRESH_MS = 500
/** However long a lane gathers, a publisher waits no longer than this for more. */
const MORE_MS_MAX = 50

/** To be called with each commit; `moreMs`: how much further apart than at ease they are. */
export function publishPaceHint(
  jetStream: JetStream,
  prefix: SubjectPrefix,
  lane: number,
  moreMs: number,
): void {
  if (moreMs < TOLD_FROM_MS) return
  jetStream.send(paceSubject(prefix, lane), Buffer.from(`${Math.round(moreMs)}`))
}

export type PaceHint = {
  /** How much longer than at ease what is published may wait for more. */
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
      // Half of what the lane waits: in the end it takes both.
      return isFresh ? Math.min(newest.moreMs / 2, MORE_MS_MAX) : 0
    },
    close,
  }
}
