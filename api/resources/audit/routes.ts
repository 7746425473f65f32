/**
 * REST of a mint's audit, a self-contained module. It depends only on authentication, one look-up in the table of
 * tokens and, where one is configured, a Solana node.
 */

import type { MintProvider } from '../../../chain/accounts/providers.ts'
import { query } from '../../../sql/query.ts'
import { type Route, route } from '../../routing/route.ts'
import { findOnchain } from '../tokens/onchain.ts'
import { presentAudit } from './present.ts'
import { audit, ofAudit } from './schema.ts'

/** Authorities seldom change: the node gets at most one request per mint and minute. */
const CACHE_SECONDS = 60
/** Cache lifetime of a response without data from the node, so that it is requested again soon. */
const UNHEARD_SECONDS = 5

const findToken = query<{ id: number }>('audit/find_token')

type AuditDeps = {
  /** Absent: no node is configured. */
  mints?: MintProvider | undefined
  /** Unix ms of the wall clock. */
  now: () => number
}

export function auditRoutes({ mints, now }: AuditDeps): readonly Route[] {
  const ofMint = route({
    path: '/tokens/{mint}/audit',
    operationId: 'getTokenAudit',
    isOnPages: true,
    graphqlField: 'tokenAudit',
    family: 'enveloped',
    summary: 'Authorities that can still mint, freeze, tax or take a token',
    description:
      'Authorities and Token-2022 extensions, read from a Solana node where one is configured. Each ' +
      'check passes when the power is given up or never was; null while it is not known. A valid mint ' +
      'that is not indexed answers indexed: false and is read on chain all the same; a node that ' +
      'does not answer is no error.',
    parameters: ofAudit,
    answer: audit,
    errors: ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
    example: ({ mint }) => ({ mint }),
    cacheSeconds: {
      ofAnswer: ({ onchain_status: status }) =>
        status === 'unavailable' ? UNHEARD_SECONDS : CACHE_SECONDS,
    },
    respond: async ({ mint }, { reader, signal }) => {
      const [found, known] = await Promise.all([
        findOnchain(mints, mint, signal),
        reader.run(signal, (db) => findToken(db, [mint])),
      ])
      return presentAudit(mint, known.length > 0, found, now())
    },
  })
  return [ofMint]
}
