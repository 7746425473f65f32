/**
 * Liveness (/healthz) and readiness (/readyz): the database is reachable and migrated, JetStream is reachable if
 * this process has a check for it, and the lanes can commit.
 */
import Type from 'typebox'
import { expectSchema, SchemaMismatch } from '../../../sql/schema/version.ts'
import { ApiError } from '../../routing/error.ts'
import { type Route, route } from '../../routing/route.ts'

/** Rejects when JetStream cannot be reached, or with NotReady. */
export type CheckJetStream = () => Promise<void>

/** Why the process is not ready although its servers answer; the message is shown to clients. */
export class NotReady extends Error {}

const health = Type.Object({ status: Type.Literal('ok') }, { title: 'Health' })
const readiness = Type.Object(
  {
    status: Type.Literal('ready'),
    database: Type.Literal('ok'),
    jetstream: Type.Optional(Type.Literal('ok')),
  },
  { title: 'Readiness' },
)

export function healthRoutes(checkJetStream?: CheckJetStream): readonly Route[] {
  const healthz = route({
    path: '/healthz',
    operationId: 'getHealth',
    access: 'public',
    family: 'enveloped',
    summary: 'Whether the process lives',
    parameters: Type.Object({}),
    answer: health,
    errors: [],
    example: {},
    respond: async () => ({ status: 'ok' as const }),
  })
  const readyz = route({
    path: '/readyz',
    operationId: 'getReadiness',
    access: 'public',
    family: 'enveloped',
    summary: 'Whether requests can be answered',
    parameters: Type.Object({}),
    answer: readiness,
    errors: ['UNAVAILABLE', 'GATEWAY_TIMEOUT'],
    example: {},
    read: async (_, db) => {
      await expectSchema(db).catch((cause: unknown) =>
        refuse(cause instanceof SchemaMismatch ? cause.message : 'the database is not migrated')(
          cause,
        ),
      )
      if (checkJetStream === undefined) return { status: 'ready' as const, database: 'ok' as const }
      await checkJetStream().catch((cause: unknown) =>
        refuse(cause instanceof NotReady ? cause.message : 'JetStream cannot be reached')(cause),
      )
      return { status: 'ready' as const, database: 'ok' as const, jetstream: 'ok' as const }
    },
  })
  return [healthz, readyz]
}

const refuse =
  (text: string) =>
  (cause: unknown): never => {
    throw new ApiError('UNAVAILABLE', text, { cause })
  }
