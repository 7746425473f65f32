/**
 * /admin/v1 beyond keys: how far the lanes are, queues of jobs, dead letters, KOLs. What an operator changes
 * stands in the audit.
 */
import Type from 'typebox'
import { explainRefusal, type Refusal } from '../../streams/contract.ts'
import { kolOf } from '../../streams/kol.ts'
import { cursorNumber, decodeCursor } from '../cursor.ts'
import { ApiError } from '../error.ts'
import { WALLET } from '../examples/story.ts'
import { listKols, removeKol, storeKol } from '../leaderboard/kols.ts'
import { type Route, route } from '../route.ts'
import { keyRoutes } from './key-routes.ts'
import type { Operations } from './operations.ts'
import { BY, changing, common } from './operator-route.ts'
import {
  DEAD_LETTERS,
  KOLS,
  presentDeadLetters,
  presentKols,
  presentLanes,
  presentQueues,
} from './present.ts'
import { replayRoutes } from './replay-routes.ts'
import {
  type DeadLetterParameters,
  deadLetterList,
  deadLetterParameters,
  kolList,
  kolParameters,
  laneList,
  newKol,
  ofDeadLetter,
  ofKol,
  queueList,
  removedKol,
  sentLetters,
  storedKol,
} from './schema.ts'

/** `operations` absent: this process has nothing to do with workers and jobs. */
export function adminRoutes(operations: Operations | undefined): Route[] {
  const parts =
    operations === undefined
      ? []
      : [...stateRoutes(operations), ...dead(operations), ...replayRoutes(operations)]
  return [...keyRoutes, ...kolRoutes, ...parts]
}

function stateRoutes(operations: Operations): Route[] {
  return [
    route({
      ...common,
      path: '/admin/v1/lanes',
      summary: 'How far each actor is behind in each lane, and who owns it',
      parameters: Type.Object({}),
      answer: laneList,
      example: {},
      respond: async () => presentLanes(await operations.lanes()),
    }),
    route({
      ...common,
      path: '/admin/v1/queues',
      summary: 'Queues of jobs: what waits, runs and failed',
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
      summary: 'Sends a dead letter again, as it was',
      description: 'What is still poison comes back as a new dead letter.',
      parameters: ofDeadLetter,
      answer: sentLetters,
      example: { id: 1 },
      async respond({ id }) {
        const answer = await sentBy([id])
        if (answer.data.sent.length > 0) return answer
        throw new ApiError('NOT_FOUND', `dead letter "${id}": there is none of this id`)
      },
    }),
    route({
      ...changing,
      errors: [...common.errors, 'FORBIDDEN'],
      path: '/admin/v1/dead-letters/retry',
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

const kolRoutes: readonly Route[] = [
  route({
    ...common,
    path: '/admin/v1/kols',
    summary: 'Wallets of people who are known, by address',
    parameters: kolParameters,
    answer: kolList,
    example: { limit: 10 },
    async read({ limit, cursor }, db) {
      const [after = ''] = cursor === undefined ? [] : decodeCursor(KOLS, cursor, 1)
      return presentKols(await listKols(db, after, limit), limit)
    },
  }),
  route({
    ...changing,
    method: 'put',
    errors: [...common.errors, 'FORBIDDEN', 'MISSING_PARAM'],
    path: '/admin/v1/kols/{wallet}',
    summary: 'Adds a KOL, or changes it',
    parameters: newKol,
    answer: storedKol,
    example: {
      wallet: WALLET,
      display_name: 'Ann',
      twitter_handle: 'ann',
    },
    async read(fields, db) {
      const read = kolOf(fields)
      if ('refusals' in read) throw refusalOf(read.refusals)
      const is_new = await storeKol(db, read.kol, BY)
      const { wallet, displayName, twitterHandle = '' } = read.kol
      const stored = { wallet, display_name: displayName, twitter_handle: twitterHandle }
      return { success: true as const, data: { ...stored, is_new } }
    },
  }),
  route({
    ...changing,
    method: 'delete',
    path: '/admin/v1/kols/{wallet}',
    summary: 'Removes a KOL',
    parameters: ofKol,
    answer: removedKol,
    example: { wallet: WALLET },
    async read({ wallet }, db) {
      if (await removeKol(db, wallet, BY)) {
        return { success: true as const, data: { wallet, removed: true as const } }
      }
      throw new ApiError('NOT_FOUND', `KOL "${wallet}": there is none of this wallet`)
    },
  }),
]

function refusalOf(refusals: readonly Refusal[]): ApiError {
  return new ApiError('INVALID_PARAM', refusals.map(explainRefusal).join('; '))
}
