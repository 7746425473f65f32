/** REST of back-tests: what copying wallets would have earned. */
import type { JobRequests } from '../../../streams/jobs/job.ts'
import { Accepted, type NearReading } from '../../routing/declaration.ts'
import { READ_ERRORS } from '../../routing/error.ts'
import type { AsOfSource } from '../../routing/reading/as-of.ts'
import { type Route, route } from '../../routing/route.ts'
import type { CoverageGaps } from '../coverage/gaps.ts'
import { findCopies } from './copy.ts'
import { beginJob } from './jobs/begin.ts'
import { copyJobRoutes, pageOfAnswer } from './jobs/routes.ts'
import { copyJob } from './jobs/schema.ts'
import { presentJob } from './jobs/store.ts'
import { withLeaders } from './leaders.ts'
import {
  type CopyJobLimits,
  type CopyLimits,
  JOB_LIMITS,
  QuestionTooLarge,
  REQUEST_LIMITS,
} from './limits.ts'
import { cursorFrom, pageOf } from './page.ts'
import {
  type ChosenRequest,
  type CopyAnswer,
  type CopyRequest,
  copyAnswer,
  copyBody,
  noParameters,
} from './schema.ts'

export type BacktestOptions = {
  /** Absent: a request beyond the limits of one is answered with 503. */
  jobs?: Pick<JobRequests, 'request'> | undefined
  /** Limits of a request; absent: 2,000 orders of wallets with 200,000 swaps. */
  copyLimits?: CopyLimits | undefined
  /** Limits of a job; absent: 100,000 orders of wallets with 500,000 swaps, and 400,000 trades. */
  copyJobLimits?: CopyJobLimits | undefined
}
type Deps = BacktestOptions & { gaps: CoverageGaps; asOf: AsOfSource }

/** Orders that count as one request more. */
const ORDERS_A_REQUEST = 1_000

export function backtestRoutes(deps: Deps): Route[] {
  const copy = route({
    path: '/v2/backtest/copy',
    operationId: 'copyBacktest',
    graphqlField: 'copyBacktest',
    topic: { listedAt: 46, description: 'Back-tests over stored swaps' },
    tool: { listedAt: 157 },
    method: 'post',
    family: 'enveloped',
    summary: 'Profit and loss that copying wallets would have had',
    description:
      'Each order of the wallets (their swaps of one transaction, mint and side) is copied some slots later, in the state of the pool that ' +
      'stored swaps show there: exact, within bounds, or not, with the reason, as /v2/quote. Nothing after the last slot is read. ' +
      `Up to ${REQUEST_LIMITS.ordersMax} orders at once; more, up to ${JOB_LIMITS.ordersMax}, by a job (202, REST only). Each run has one delay ` +
      'and one size. Rule: /docs/semantics.md, Copying wallets.',
    parameters: noParameters,
    body: copyBody,
    answer: copyAnswer,
    accepted: copyJob,
    rows: 'trades',
    errors: [...READ_ERRORS, 'TOO_MANY_ORDERS', 'AS_OF_TOO_COSTLY'],
    example: ({ wallet, slot, saleSlot }) => ({
      wallets: [wallet],
      from_slot: Math.min(slot, saleSlot),
      delay_slots: [2],
      size_lamports: [100_000_000],
    }),
    respond: (request, reading) => answerCopy(request, reading, deps),
  })
  return [copy, ...copyJobRoutes(deps.jobs)]
}

async function answerCopy(
  given: CopyRequest,
  reading: NearReading,
  deps: Deps,
): Promise<CopyAnswer | Accepted> {
  const { near, reader, signal } = reading
  const { gaps, copyLimits: limits = REQUEST_LIMITS } = deps
  const { request: page, first, expectSame } = pageOf(given)
  const request = await withLeaders(page, { near, signal, walkMs: reader.walkMs }, deps.asOf)
  const charge = chargeOnce(reading)
  try {
    const found = await findCopies(request, { near, gaps, limits, signal, onCounted: charge })
    const { findings, hash } = found
    expectSame(hash)
    const count = request.trades ? found.count : 0
    const end = Math.min(count, first + request.trades_limit)
    return {
      ...{ id: null, ...findings, trades: found.list(first, end), result_hash: hash },
      next_cursor: cursorFrom(end, { count, toSlot: findings.as_of.slot, hash }),
    }
  } catch (error) {
    if (!(error instanceof QuestionTooLarge)) throw error
    return await answerByJob(request, error, reading, deps)
  }
}

async function answerByJob(
  request: ChosenRequest,
  { counted }: QuestionTooLarge,
  reading: NearReading,
  deps: Deps,
): Promise<CopyAnswer | Accepted> {
  const { reader, signal, caller, mayBegin } = reading
  const { jobs, copyLimits = REQUEST_LIMITS, copyJobLimits = JOB_LIMITS } = deps
  const row = await beginJob(request, counted, {
    run: (work) => reader.run(signal, work),
    gaps: (await reader.run(signal, (db) => deps.gaps.read(db))) ?? [],
    ...{ requestLimits: copyLimits, limits: copyJobLimits, caller, jobs },
    charge: mayBegin && chargeOnce(reading),
  })
  if (row.status !== 'done') return new Accepted(presentJob(row))
  const { trades_limit: limit } = request
  return await reader.run(signal, (db) => pageOfAnswer(db, row, 0, limit))
}

/** A request counts 1 and another for each thousand orders, once even if it is read again from another server. */
function chargeOnce({ countMore }: NearReading) {
  let charged: Promise<void> | undefined
  return async ({ orders }: { orders: number }): Promise<void> => {
    charged ??= countMore?.(Math.floor(orders / ORDERS_A_REQUEST))
    await charged
  }
}
