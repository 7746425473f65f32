/**
 * GraphQL over HTTP at /graphql: POST with a JSON body, GET with a query in the URL.
 *
 * ```
 * gate (401, 429) -> body of at most 64 KiB -> tokens -> valid -> limits (400) -> reads -> exact JSON
 * ```
 * Law: integers of variables and answers keep their digits; a refused query reads nothing; what a client
 * is told of a fault is a code and a text of ours.
 */
import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server'
import { unwrapResolverError } from '@apollo/server/errors'
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled'
import { koaMiddleware } from '@as-integrations/koa'
import {
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLFormattedError,
  Kind,
} from 'graphql'
import type { Context, Middleware } from 'koa'
import getRawBody from 'raw-body'
import type { Log } from '../../streams/log.ts'
import { ApiError, CATALOGUE, statusOf, toApiError } from '../error.ts'
import { parseExact } from '../exact-json.ts'
import type { FeedPlace } from '../feed/list-cursor.ts'
import type { Cache } from '../gateway/cache.ts'
import { maskKeys } from '../gateway/key-format.ts'
import { writeExact } from '../json.ts'
import type { Reader } from '../reader.ts'
import { BODY_BYTES_MAX } from '../request-body.ts'
import type { Reading, Route } from '../route.ts'
import { graphqlSchema } from './fields.ts'
import { LIMITS, refusalOf } from './limits.ts'
import { createReads, type GraphqlContext } from './reads.ts'

export type GraphqlDeps = {
  reader: Reader
  cache: Cache
  /** How far FEED is read. */
  feedPlace?: () => FeedPlace | undefined
  log: Log
  /** That a query may take, all its reads together. */
  deadlineMs: number
  /** Through the gate. Rejects with ApiError. */
  admit(context: Context): Promise<Pick<Reading, 'caller' | 'standing'>>
  /** Aborts after so many milliseconds, and when the client goes away. */
  endOf(context: Context, deadlineMs: number): AbortSignal
}

type WithBody = { body?: unknown }

/** GraphQL's own where a client asks for it, as answers to queries have it. */
const MEDIA_TYPES = ['application/json', 'application/graphql-response+json']

export function graphqlTypeFor(context: Pick<Context, 'accepts'>): string {
  return context.accepts(MEDIA_TYPES) || 'application/json'
}

export function graphqlEndpoint(routes: readonly Route[], deps: GraphqlDeps): Middleware {
  const server = apolloServer(routes, deps.log)
  let answer: Middleware | undefined
  const started = server.start()
  // Told to whoever asks first.
  started.catch(() => {})
  return async (context) => {
    const { caller, ...rest } = await deps.admit(context)
    const signal = deps.endOf(context, deps.deadlineMs)
    const { reader, feedPlace } = deps
    const reading = { reader, signal, caller, ...rest, ...(feedPlace ? { feedPlace } : {}) }
    if (context.method === 'POST') (context.request as WithBody).body = await bodyOf(context)
    else keepDigits(context)
    await started
    answer ??= koaMiddleware(server, {
      context: async ({ ctx }) => ctx.state.graphql,
    }) as Middleware
    context.state.graphql = { reads: createReads(deps.cache, reading) } satisfies GraphqlContext
    // The integration goes on to what stands behind it: nothing does.
    await answer(context, async () => {})
  }
}

function apolloServer(routes: readonly Route[], log: Log): ApolloServer<GraphqlContext> {
  const quiet = (text: string): void => log.debug({ text }, 'apollo')
  return new ApolloServer<GraphqlContext>({
    schema: graphqlSchema(routes),
    introspection: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    persistedQueries: false,
    // Keys are sent by programs, never by a browser of itself: there is nothing to forge.
    csrfPrevention: false,
    parseOptions: { maxTokens: LIMITS.tokens },
    stringifyResult: writeExact,
    formatError: (shown, fault) => formatError(shown, fault, log),
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    plugins: [
      limitsPlugin,
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  })
}

const limitsPlugin: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ schema, document, operation, request }) => {
      const fragments = document.definitions.filter(
        (each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION,
      )
      const refusal = refusalOf({
        schema,
        operation,
        fragments: new Map(fragments.map((each) => [each.name.value, each])),
        variables: request.variables ?? {},
      })
      if (refusal === undefined) return
      throw new GraphQLError(refusal, {
        extensions: { code: 'QUERY_TOO_LARGE', http: { status: 400, headers: new HeaderMap() } },
      })
    },
  }),
}

function formatError(
  shown: GraphQLFormattedError,
  fault: unknown,
  log: Log,
): GraphQLFormattedError {
  const code = shown.extensions?.code
  if (code !== undefined && code !== 'INTERNAL_SERVER_ERROR') {
    return { ...shown, message: maskKeys(shown.message) }
  }
  const cause = unwrapResolverError(fault)
  // Arguments that only the run shows to be none.
  if (cause instanceof GraphQLError) return { ...shown, extensions: { code: 'BAD_USER_INPUT' } }
  const error = toApiError(cause)
  const status = statusOf(error.code, 'enveloped')
  if (status >= 500) log.error({ path: shown.path, err: error.cause ?? error }, 'a field failed')
  const { message } = error
  return { ...shown, message, extensions: { code: CATALOGUE[error.code].code } }
}

/** Values of the body; what is no JSON is none, and refused where the query is looked for. */
async function bodyOf({ request, req }: Context): Promise<unknown> {
  const text = await getRawBody(req, { limit: BODY_BYTES_MAX, encoding: 'utf8' }).catch(refuseBody)
  if (!request.is('application/json')) return {}
  try {
    return parseExact(text) || {}
  } catch {
    return {}
  }
}

function refuseBody(fault: { type?: string }): never {
  const isLarge = fault.type === 'entity.too.large'
  const text = isLarge ? `expected at most ${BODY_BYTES_MAX} bytes` : 'expected all of it in UTF-8'
  throw new ApiError('INVALID_PARAM', `the body of the request: ${text}`, { cause: fault })
}

/** Integers of the URL's variables that JSON.parse would round become texts, which Int64 reads as well. */
function keepDigits(context: Context): void {
  const { variables } = context.query
  if (typeof variables !== 'string') return
  try {
    const exact = JSON.stringify(parseExact(variables), (_, value) =>
      typeof value === 'bigint' ? value.toString() : value,
    )
    context.query = { ...context.query, variables: exact }
  } catch {
    // No JSON: refused as it is.
  }
}
