/** A copy back-test from a request to its answer, for the route, its jobs and `swaptide backtest copy`. */
import { ASSUMED_FEES } from '../../../domain/venue.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import type { CoverageGaps } from '../coverage/gaps.ts'
import type { CopyLimits, CountedQuestion } from './limits.ts'
import { type CopyFindings, countTrades, presentCopies, presentTrades } from './present.ts'
import { readQuestion } from './question/read.ts'
import { resultHash } from './result-hash.ts'
import { type OnProgress, runCopies } from './run.ts'
import type { ChosenRequest, CopyTradeAnswer } from './schema.ts'
import { runSettings } from './settings.ts'

type CopyDeps = {
  /** Runs a read on a connection that it returns afterwards: the runs need none. */
  readonly near: <Result>(work: (db: Queryable) => Promise<Result>) => Promise<Result>
  readonly gaps: Pick<CoverageGaps, 'read'>
  readonly limits: CopyLimits
  readonly signal: AbortSignal
  /** Called with a question within the limits, before it is read. */
  readonly onCounted?: (counted: CountedQuestion) => Promise<void>
  readonly onProgress?: OnProgress
}

export type CopiesFound = {
  readonly findings: CopyFindings
  readonly hash: string
  /** Trades of all runs: how many, and from an index to before another. */
  readonly count: number
  list(first: number, end: number): CopyTradeAnswer[]
}

/** Rejects with ApiError, with QuestionTooLarge before it is read, or with the signal's reason. */
export async function findCopies(
  request: ChosenRequest,
  { near, gaps, limits, signal, onCounted, onProgress }: CopyDeps,
): Promise<CopiesFound> {
  const settings = runSettings(request)
  const { question, timed } = await near(async (db) => {
    const timed = (await gaps.read(db)) ?? []
    return { question: await readQuestion(db, request, { gaps: timed, limits, onCounted }), timed }
  })
  const { fromSlot, toSlot, newestSlot } = question
  const results = await runCopies(question, settings, { signal, onProgress })
  const findings = presentCopies(results, {
    ...{ toSlot, newestSlot, assumedBps: request[ASSUMED_FEES] },
    chosen: request,
    gaps: timed.filter(({ from, to }) => to >= fromSlot && from <= toSlot),
  })
  return {
    findings,
    hash: await resultHash(findings.runs, results, signal),
    count: countTrades(results),
    list: (first, end) => presentTrades(results, first, end),
  }
}
