/**
 * Answers a question that is too large for a request: by the stored answer to the same settings and state, or by a job.
 *
 * The state is the last slot with what a later event below it changes: the orders, the swaps of the leaders and the gaps. Less than 64
 * slots below the newest slot anything may follow, so the newest slot is part of the state there.
 *
 * Decision: docs/decisions/0107-back-tests-of-jobs-are-stored.md
 */
import { hash } from 'node:crypto'
import { ApiError } from '../../../routing/error.ts'
import type { TimedGap } from '../../coverage/present.ts'
import { findEqualQuestion, type Requesting, requestQuestion } from '../../stored-answers/store.ts'
import {
  type CopyJobLimits,
  type CopyLimits,
  type CountedQuestion,
  isWithin,
  tooLarge,
} from '../limits.ts'
import type { ChosenRequest } from '../schema.ts'
import { runSettings } from '../settings.ts'
import { findJob, type JobRow } from './store.ts'

/** Slots below the newest from which on nothing more is expected. */
const SETTLED_SLOTS = 64
const ADVICE =
  'send fewer slots or wallets, or POST /v2/backtest/copy by REST, where a job answers it'

type BeginDeps = Requesting & {
  readonly gaps: readonly TimedGap[]
  /** The limits of a request, then those of a job. */
  readonly requestLimits: CopyLimits
  readonly limits: CopyJobLimits
  /** Counts the request in the rate limit, before a job begins; absent: the transport may begin none. Rejects with ApiError. */
  readonly charge: ((counted: CountedQuestion) => Promise<void>) | undefined
}

const KIND = { kind: 'backtest', noun: 'back-test', path: '/v2/backtest/{id}' } as const

/** The back-test that answers the question, done or under way. Rejects with ApiError. */
export async function beginJob(
  given: ChosenRequest,
  counted: CountedQuestion,
  { run, gaps, requestLimits, limits, caller, jobs, charge }: BeginDeps,
): Promise<JobRow> {
  if (!isWithin(counted, limits)) throw tooLarge(counted, limits)
  expectStorable(given, counted, limits)
  if (charge === undefined) throw tooLarge(counted, requestLimits, ADVICE)
  const request = storedRequest(given, counted)
  const { lineage } = caller
  const question = {
    lineage,
    request,
    total: counted.orders,
    identity: identityOf(request, counted, gaps),
  }
  const equal = await run(async (db) => {
    const id = await findEqualQuestion(KIND.kind, db, question)
    return id === undefined ? undefined : await findJob(db, id, lineage)
  })
  if (equal !== undefined) return equal
  if (jobs === undefined) {
    throw new ApiError(
      'UNAVAILABLE',
      'this process cannot request jobs: send fewer slots or wallets',
    )
  }
  await charge(counted)
  const id = await requestQuestion(KIND, question, { run, caller, jobs })
  const row = await run((db) => findJob(db, id, lineage))
  if (row === undefined) throw new ApiError('NOT_FOUND', `back-test "${id}" was cancelled`)
  return row
}

function expectStorable(
  request: ChosenRequest,
  { orders }: CountedQuestion,
  { tradesMax }: CopyJobLimits,
): void {
  const runs = runSettings(request).length
  if (!request.trades || orders * runs <= tradesMax) return
  throw new ApiError(
    'INVALID_PARAM',
    `trades: ${orders} orders in ${runs} runs are ${orders * runs} in all, the limit is ${tradesMax}: ` +
      'send fewer runs, or trades false',
  )
}

/** The settings with their slots, without those of a page. */
function storedRequest(given: ChosenRequest, { fromSlot, toSlot }: CountedQuestion): ChosenRequest {
  const { from: _from, to: _to, cursor: _cursor, ...settings } = given
  return { ...settings, from_slot: fromSlot, to_slot: toSlot, trades_limit: 1 }
}

function identityOf(
  request: ChosenRequest,
  { fromSlot, toSlot, newestSlot, orders, swaps }: CountedQuestion,
  gaps: readonly TimedGap[],
): string {
  const isSettled = toSlot <= newestSlot - SETTLED_SLOTS
  const own = gaps.filter(({ from, to }) => to >= fromSlot && from <= toSlot)
  const settings = Object.entries(request).sort(([a], [b]) => (a < b ? -1 : 1))
  const state = { orders, swaps, gaps: own, newestSlot: isSettled ? null : newestSlot }
  return hash('sha256', JSON.stringify([settings, state]))
}
