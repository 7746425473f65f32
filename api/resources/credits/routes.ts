/** /credits: the values of the rate-limit headers and the features of the caller's tier. */
import Type from 'typebox'
import type { Usage } from '../../gateway/limits/usage.ts'
import { type Route, route } from '../../routing/route.ts'
import { presentCredits } from './present.ts'
import { type Credits, credits } from './schema.ts'

export function creditRoutes(usage: Pick<Usage, 'thisMonth'>): readonly Route[] {
  const own = route({
    path: '/credits',
    operationId: 'getCredits',
    family: 'enveloped',
    summary: 'Remaining quota of the key',
    description:
      'This request counts itself. The window is that of the key and of those it was rotated to or ' +
      'from, over all processes; without a cap (enterprise) its numbers are null.',
    parameters: Type.Object({}),
    answer: credits,
    errors: ['GATEWAY_TIMEOUT', 'INTERNAL'],
    example: {},
    respond: async (_, { reader, signal, caller: { tier, lineage }, quota }) => {
      // The request counts for the month once it is let in.
      const current = await quota?.()
      const monthlyUsed = await reader.run(signal, (db) => usage.thisMonth(db, lineage))
      return presentCredits(tier, current, monthlyUsed) as Credits
    },
  })
  return [own]
}
