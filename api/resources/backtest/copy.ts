/** A copy back-test from a request to its answer, for the route and for `swaptide backtest copy`. */
import { ASSUMED_FEES } from '../../../domain/venue.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { ApiError } from '../../routing/error.ts'
import type { CoverageGaps } from '../coverage/gaps.ts'
import { presentCopies } from './present.ts'
import { readQuestion } from './read.ts'
import { runCopies } from './run.ts'
import type { CopyAnswer, CopyRequest } from './schema.ts'
import { runSettings } from './settings.ts'

type CopyDeps = {
  /** Runs a read on a connection that it returns afterwards: the runs need none. */
  readonly near: <Result>(work: (db: Queryable) => Promise<Result>) => Promise<Result>
  readonly gaps: Pick<CoverageGaps, 'read'>
  readonly ordersMax: number
  /** Rows of `trades` in one answer. */
  readonly tradesMax: number
  readonly signal: AbortSignal
}

/** Rejects with ApiError, or with the signal's reason. */
export async function answerCopy(
  request: CopyRequest,
  { near, gaps, ordersMax, tradesMax, signal }: CopyDeps,
): Promise<CopyAnswer> {
  const settings = runSettings(request)
  const { question, timed } = await near(async (db) => {
    const timed = (await gaps.read(db)) ?? []
    return { question: await readQuestion(db, request, { gaps: timed, ordersMax }), timed }
  })
  const { orders, fromSlot, toSlot, newestSlot } = question
  const rows = orders.length * settings.length
  if (request.trades && rows > tradesMax) {
    throw new ApiError(
      'INVALID_PARAM',
      `trades: ${orders.length} orders in ${settings.length} runs are ${rows} in all, the limit is ${tradesMax}: ` +
        'send fewer runs, or trades false',
    )
  }
  const results = await runCopies(question, settings, signal)
  return presentCopies(results, {
    ...{ toSlot, newestSlot, assumedBps: request[ASSUMED_FEES], hasTrades: request.trades },
    gaps: timed.filter(({ from, to }) => to >= fromSlot && from <= toSlot),
  })
}
