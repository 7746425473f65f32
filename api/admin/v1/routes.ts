/**
 * /admin/v1: progress of the lanes, job queues, dead letters; keys, KOLs, sectors, replays, sources, sealed history and samples have
 * files of their own.
 * Every change by an operator is written to the audit.
 */
import Type from 'typebox'
import { ApiError } from '../../routing/error.ts'
import { cursorNumber, decodeCursor } from '../../routing/reading/cursor.ts'
import { type Route, route } from '../../routing/route.ts'
import type { Operations } from '../operations.ts'
import { BY, changing, common } from '../operator-route.ts'
import { sampleRoutes } from '../samples/routes.ts'
import type { Samples } from '../samples/sampling.ts'
import { historyRoutes } from './history-routes.ts'
import { keyRoutes } from './key-routes.ts'
import { kolRoutes } from './kol-routes.ts'
import { DEAD_LETTERS, presentDeadLetters, presentLanes, presentQueues } from './present.ts'
import { replayRoutes } from './replay-routes.ts'
import {
  type DeadLetterParameters,
  deadLetterList,
  deadLetterParameters,
  laneList,
  ofDeadLetter,
  queueList,
  sentLetters,
} from './schema.ts'
import { sectorRoutes } from './sector-routes.ts'
import { sourceRoutes } from './source-routes.ts'

/** `operations` absent: this process has nothing to do with workers and jobs. `samples` absent: it samples no metrics. */
export function adminRoutes(operations: Operations | undefined, samples?: Samples): Route[] {
  const sampled = samples === undefined ? [] : sampleRoutes(samples)
  const own = [...keyRoutes, ...kolRoutes, ...sourceRoutes, ...sampled]
  if (operations === undefined) return own
  const ofWorkers = [
    ...sectorRoutes(operations),
    ...replayRoutes(operations),
    ...historyRoutes(operations),
  ]
  return [...own, ...ofWorkers, ...stateRoutes(operations), ...dead(operations)]
}

function stateRoutes(operations: Operations): Route[] {
  return [
    route({
      ...common,
      path: '/admin/v1/lanes',
      operationId: 'listLanes',
      summary: 'Lag of each actor in each lane, and the owner of the lane',
      parameters: Type.Object({}),
      answer: laneList,
      example: {},
      respond: async () => presentLanes(await operations.lanes()),
    }),
    route({
      ...common,
      path: '/admin/v1/queues',
      operationId: 'listQueues',
      summary: 'Queues of jobs: waiting, running and failed ones',
      parameters: Type.Object({}),
      answer: queueList,
      example: {},
      respond: async () => presentQueues(await operations.queues()),
    }),
  ]
}

function dead(operations: Operations): Route[] {
  const sentBy = async (ids: readonly number[] | 'oldest') => {
    const sent = await operations.retryDeadLetters(ids, BY)
    const waiting = await operations.countDeadLetters()
    return { success: true as const, data: { sent, waiting } }
  }
  return [
    route({
      ...common,
      path: '/admin/v1/dead-letters',
      operationId: 'listDeadLetters',
      summary: 'Events that a worker could not take, with the reason, newest first',
      parameters: deadLetterParameters,
      answer: deadLetterList,
      example: { state: 'waiting', limit: 10 },
      async respond(parameters) {
        const letters = await operations.deadLetters(pageOf(parameters))
        const waiting = await operations.countDeadLetters()
        return presentDeadLetters(letters, parameters.limit, waiting)
      },
    }),
    route({
      ...changing,
      path: '/admin/v1/dead-letters/{id}/retry',
      operationId: 'retryDeadLetter',
      summary: 'Sends a dead letter again, as it was',
      description: 'An event that is refused again becomes a new dead letter.',
      parameters: ofDeadLetter,
      answer: sentLetters,
      example: { id: 1 },
      async respond({ id }) {
        const answer = await sentBy([id])
        if (answer.data.sent.length > 0) return answer
        throw new ApiError('NOT_FOUND', `dead letter "${id}" not found or not waiting`)
      },
    }),
    route({
      ...changing,
      errors: [...common.errors, 'FORBIDDEN'],
      path: '/admin/v1/dead-letters/retry',
      operationId: 'retryDeadLetters',
      summary: 'Sends the oldest 1,000 dead letters that wait again',
      parameters: Type.Object({}),
      answer: sentLetters,
      example: {},
      respond: () => sentBy('oldest'),
    }),
  ]
}

function pageOf({ state, limit, cursor }: DeadLetterParameters) {
  const onlyWaiting = state === 'waiting'
  if (cursor === undefined) return { limit, onlyWaiting }
  const [id = ''] = decodeCursor(DEAD_LETTERS, cursor, 1)
  return { limit, onlyWaiting, belowId: cursorNumber(id) }
}
