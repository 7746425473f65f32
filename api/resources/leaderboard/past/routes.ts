/** REST of leaderboards as of a slot, each of which a job computes. */
import { hash } from 'node:crypto'
import type { JobRequests } from '../../../../streams/jobs/job.ts'
import { Accepted } from '../../../routing/declaration.ts'
import { ApiError, READ_ERRORS } from '../../../routing/error.ts'
import { type AsOfSource, type AsOfWanted, asOfWanted } from '../../../routing/reading/as-of.ts'
import { type Route, route } from '../../../routing/route.ts'
import type { AsOfAnswer } from '../../as-of/schema.ts'
import {
  deleteQuestion,
  failedQuestion,
  findEqualQuestion,
  hurry,
  requestQuestion,
  unknownQuestion,
} from '../../stored-answers/store.ts'
import type { StoredRanking } from './compute.ts'
import {
  cancelled,
  EXAMPLE_ID,
  noParameters,
  ofRanking,
  type PastRequest,
  pastBody,
  pastLeaderboard,
  rankingJob,
} from './schema.ts'
import { answerOf, findRanking, presentRanking } from './store.ts'

type PastDeps = {
  asOf: AsOfSource
  /** Absent: no leaderboard can be requested. */
  jobs?: Pick<JobRequests, 'request'> | undefined
}

const PATH = '/v2/asof/leaderboard/{id}'
const KIND = { kind: 'ranking', noun: 'leaderboard', path: PATH } as const

export function pastLeaderboardRoutes(deps: PastDeps): Route[] {
  return [requestingRoute(deps), readingRoute(deps), endingRoute()]
}

function requestingRoute({ asOf, jobs }: PastDeps): Route {
  return route({
    path: '/v2/asof/leaderboard',
    operationId: 'rankWalletsAsOf',
    topic: { listedAt: 281, description: 'Leaderboards as of a slot' },
    method: 'post',
    family: 'enveloped',
    summary: 'Wallets by realized PnL in the window that ended at a slot',
    description:
      'The leaderboard of /v2/pnl/leaderboard/top as of as_of_slot or as_of_time, computed by a job: 202 with its id, and the answer at ' +
      'once where the same question was answered within a day. An account has as many at once as its tier allows back-test jobs. Tags and KOLs are not listed: they are known of now only.',
    parameters: noParameters,
    body: pastBody,
    answer: pastLeaderboard,
    accepted: rankingJob,
    errors: [...READ_ERRORS, 'MISSING_PARAM'],
    example: ({ slot, saleSlot }) => ({
      ...{ as_of_slot: Math.max(slot, saleSlot), period: '7d', limit: 3 },
    }),
    async respond(request, reading) {
      const { near, reader, signal, caller, mayBegin } = reading
      const found = await asOf.read(
        wantedOf(request),
        { near, signal, walkMs: reader.walkMs },
        (past) => past.expectLedger(),
      )
      const question = questionOf(request, found.asOf as AsOfAnswer)
      const { lineage } = caller
      const stored = { lineage, identity: identityOf(question), request: question, total: 0 }
      const run = <Result>(work: Parameters<typeof reader.run<Result>>[1]) =>
        reader.run(signal, work)
      const equal = await run((db) => findEqualQuestion(KIND.kind, db, stored))
      if (equal === undefined && (jobs === undefined || mayBegin !== true)) throw noJobs()
      const id = equal ?? (await requestQuestion(KIND, stored, { run, caller, jobs: jobs! }))
      const row = await run((db) => findRanking(db, id, lineage))
      if (row === undefined) throw new ApiError('NOT_FOUND', `leaderboard "${id}" was cancelled`)
      return row.status === 'done' ? answerOf(row) : new Accepted(presentRanking(row))
    },
  })
}

function readingRoute({ jobs }: Pick<PastDeps, 'jobs'>): Route {
  return route({
    path: PATH,
    operationId: 'getPastLeaderboard',
    graphqlField: 'pastLeaderboard',
    family: 'enveloped',
    summary: 'Progress or answer of a leaderboard as of a slot',
    description:
      '202 with the progress until it is done; /v2/asof/leaderboard/{id}/events sends the same each second. An answer is stored for a day, ' +
      'and read by the keys of the account that began it.',
    parameters: ofRanking,
    answer: pastLeaderboard,
    accepted: rankingJob,
    errors: [...READ_ERRORS, 'NOT_FOUND'],
    example: { id: EXAMPLE_ID },
    async respond({ id }, { reader, signal, caller }) {
      const row = await reader.run(signal, (db) => findRanking(db, id, caller.lineage))
      if (row === undefined) throw unknownQuestion(KIND.noun, id)
      if (row.status === 'failed') throw failedQuestion(KIND.noun, row)
      if (row.status === 'done') return answerOf(row)
      await hurry(KIND.kind, row, jobs)
      return new Accepted(presentRanking(row))
    },
  })
}

function endingRoute(): Route {
  return route({
    path: PATH,
    operationId: 'deletePastLeaderboard',
    method: 'delete',
    family: 'enveloped',
    summary: 'Cancels a leaderboard as of a slot, or deletes its answer',
    parameters: ofRanking,
    answer: cancelled,
    errors: [...READ_ERRORS, 'NOT_FOUND'],
    example: { id: EXAMPLE_ID },
    async respond({ id }, { reader, signal, caller: { lineage } }) {
      const isGone = await reader.run(signal, (db) => deleteQuestion(KIND.kind, db, id, lineage))
      if (!isGone) throw unknownQuestion(KIND.noun, id)
      return { id, status: 'cancelled' as const }
    },
  })
}

function wantedOf(request: PastRequest): AsOfWanted {
  const wanted = asOfWanted(request as AsOfWanted)
  if (wanted !== undefined) return wanted
  throw new ApiError('MISSING_PARAM', 'as_of_slot or as_of_time is required')
}

function questionOf(
  { period, exclude_arbitrage, pnl_mode, limit }: PastRequest,
  as_of: AsOfAnswer,
): StoredRanking {
  return { period, exclude_arbitrage, pnl_mode, limit, as_of }
}

/** A later event makes another question of a moment that is not settled. */
function identityOf({ as_of, ...settings }: StoredRanking): string {
  const { slot, settled, cursor } = as_of
  return hash('sha256', JSON.stringify([settings, slot, settled ? null : cursor]))
}

const noJobs = (): ApiError =>
  new ApiError(
    'UNAVAILABLE',
    'a job computes this: request it by REST, where jobs can be requested',
  )
