/** /admin/v1/history: what is sealed, how far, and what the sealer waits for. */
import Type from 'typebox'
import { type Route, route } from '../../routing/route.ts'
import type { Operations } from '../operations.ts'
import { common } from '../operator-route.ts'
import { historyState } from './history-schema.ts'
import { presentHistory } from './present.ts'

export const historyRoutes = ({ history }: Operations): readonly Route[] => [
  route({
    ...common,
    path: '/admin/v1/history',
    operationId: 'getSealedHistory',
    summary:
      'Sealed history: segments, bytes, boundary, what the sealer waits for, the newest verification',
    parameters: Type.Object({}),
    answer: historyState,
    example: {},
    respond: async () => ({ success: true as const, data: presentHistory(await history()) }),
  }),
]
