/**
 * Notices from workers that the database answers but rejects commits: a full disk, a read-only database. Each failure
 * is published at once, on a subject that no stream stores; the API is not ready meanwhile.
 */
import type { JetStream } from './jetstream.ts'
import { commitFailureSubject, type SubjectPrefix } from './subject.ts'

/** A failing lane retries every 5 s at most; after this long without a message, commits succeed. */
const FRESH_MS = 15_000
const TEXT_LENGTH_MAX = 300

export function sendCommitFailure(jetStream: JetStream, prefix: SubjectPrefix, text: string): void {
  if (!jetStream.isReachable()) return
  jetStream.send(commitFailureSubject(prefix), Buffer.from(text.slice(0, TEXT_LENGTH_MAX)))
}

/** Listens as long as the connection lives; the result returns the newest failure, undefined while commits succeed. */
export function watchCommitFailures(
  jetStream: JetStream,
  prefix: SubjectPrefix,
): () => string | undefined {
  let newest: string | undefined
  let atMs = Number.NEGATIVE_INFINITY
  jetStream.listen(commitFailureSubject(prefix), (payload) => {
    newest = Buffer.from(payload).toString().slice(0, TEXT_LENGTH_MAX)
    atMs = performance.now()
  })
  return () => (performance.now() - atMs < FRESH_MS ? newest : undefined)
}
