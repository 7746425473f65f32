/**
 * GraphQL over HTTP at /graphql: POST with a JSON body, GET with a query in the URL.
 *
 * ```
 * admission (401, 429) -> request (400, 406, 415) -> tokens -> valid -> limits (400) -> reads -> exact JSON
 * ```
 * Integers in variables and responses stay exact; a rejected query reads nothing; an error reaches the client only as
 * a code and a text of this API.
 */
import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server'
import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors'
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
  type VariableDefinitionNode,
} from 'graphql'
import type { Context, Middleware } from 'koa'
import type { Log } from '../../domain/log.ts'
import type { FeedPosition } from '../../streams/feed/published-commits.ts'
import type { Entry } from '../gateway/admission-control.ts'
import type { Cache } from '../gateway/cache/cache.ts'
import { CATALOGUE, statusOf, toApiError } from '../routing/error.ts'
import { writeExact } from '../routing/json.ts'
import { maskKeys } from '../routing/key-format.ts'
import type { Reader } from '../routing/reading/reader.ts'
import type { Route } from '../routing/route.ts'
import { unknownAmong, unknownText } from '../routing/unknown-names.ts'
import { afterAdmission, endOf } from '../serving/handle-route.ts'
import { type IntegerForm, integerFormOf } from '../serving/integer-form.ts'
import type { GraphqlContext } from './context.ts'
import { graphqlSchema } from './fields.ts'
import { expectQueries, LIMITS, refusalOf, sizeOf, TOO_LARGE } from './limits.ts'
import { createReads } from './reads.ts'
import { readRequest } from './request.ts'

type GraphqlDeps = {
  reader: Reader
  cache: Cache
  /** How far FEED is read. */
  feedPosition?: (() => FeedPosition | undefined) | undefined
  log: Log
  /** Time that a query may take, all its reads together. */
  deadlineMs: number
  /** Admits a request at the gateway. Rejects with ApiError. */
  enter(context: Context): Promise<Entry>
  /** Counts one request more. Rejects with ApiError. */
  enterAgain(context: Context): Promise<unknown>
}

export function graphqlEndpoint(routes: readonly Route[], deps: GraphqlDeps): Middleware {
  const number = answering(routes, 'number', deps.log)
  // A failed start is reported to the requests that await it.
  number.catch(() => {})
  let string: Promise<Middleware> | undefined
  return async (context) => {
    const entry = await deps.enter(context)
    const { reader, feedPosition } = deps
    const reading = {
      ...{ reader, caller: entry.caller },
      signal: endOf(context, entry, deps.deadlineMs),
      quota: async () => (await entry.admission).quota,
      countMore: async (times: number) => {
        await Promise.all(Array.from({ length: times }, () => deps.enterAgain(context)))
      },
      ...(feedPosition ? { feedPosition } : {}),
    }
    await afterAdmission(entry, async () => {
      const form = integerFormOf(context.query, context.headers)
      await readRequest(context)
      if (form === 'string') string ??= answering(routes, form, deps.log)
      const answer = await (form === 'string' && string ? string : number)
      const reads = createReads(deps.cache, reading)
      context.state.graphql = { reads, costLeft: 0 } satisfies GraphqlContext
      // The integration calls the next middleware, and there is none.
      await answer(context, async () => {})
    })
  }
}

/** The middleware of a schema, whose Int64 has this form. */
async function answering(
  routes: readonly Route[],
  form: IntegerForm,
  log: Log,
): Promise<Middleware> {
  const server = apolloServer(routes, form, log)
  await server.start()
  return koaMiddleware(server, { context: async ({ ctx }) => ctx.state.graphql }) as Middleware
}

function apolloServer(
  routes: readonly Route[],
  form: IntegerForm,
  log: Log,
): ApolloServer<GraphqlContext> {
  const quiet = (text: string): void => log.debug({ text }, 'apollo')
  return new ApolloServer<GraphqlContext>({
    schema: graphqlSchema(routes, form),
    introspection: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    persistedQueries: false,
    // Keys are sent by programs, never by a browser of itself: there is nothing to forge.
    csrfPrevention: false,
    parseOptions: { maxTokens: LIMITS.tokens },
    validationRules: [expectQueries],
    stringifyResult: writeExact,
    formatError: (shown, error) => formatError(shown, error, log),
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    plugins: [
      limitsPlugin,
      persistedQueriesPlugin,
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  })
}

const limitsPlugin: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ schema, document, operation, request, contextValue }) => {
      const fragments = document.definitions.filter(
        (each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION,
      )
      const size = sizeOf({
        schema,
        operation,
        fragments: new Map(fragments.map((each) => [each.name.value, each])),
        variables: request.variables ?? {},
      })
      expectDeclared(operation?.variableDefinitions ?? [], request.variables ?? {})
      contextValue.costLeft = LIMITS.cost - size.cost
      const refusal = refusalOf(size)
      if (refusal === undefined) return
      throw new GraphQLError(refusal, {
        extensions: { code: TOO_LARGE, http: { status: 400, headers: new HeaderMap() } },
      })
    },
  }),
}

/** GraphQL ignores a variable that the operation does not declare: the one that was meant would be missing. */
function expectDeclared(
  definitions: readonly VariableDefinitionNode[],
  variables: Record<string, unknown>,
): void {
  const declared = definitions.map(({ variable }) => variable.name.value)
  const [name] = unknownAmong(Object.keys(variables), declared)
  if (name === undefined) return
  throw new GraphQLError(unknownText('variable', name, declared), {
    extensions: {
      code: ApolloServerErrorCode.BAD_USER_INPUT,
      http: { status: 400, headers: new HeaderMap() },
    },
  })
}

/** A rejected query is 400: Apollo would answer this one with 200. */
const persistedQueriesPlugin: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async () => ({
    willSendResponse: async ({ errors = [], response }) => {
      const { PERSISTED_QUERY_NOT_SUPPORTED: code } = ApolloServerErrorCode
      if (errors.some(({ extensions }) => extensions.code === code)) response.http.status = 400
    },
  }),
}

function formatError(
  shown: GraphQLFormattedError,
  error: unknown,
  log: Log,
): GraphQLFormattedError {
  const code = shown.extensions?.code
  if (code !== undefined && code !== 'INTERNAL_SERVER_ERROR') {
    return { ...shown, message: maskKeys(shown.message) }
  }
  const cause = unwrapResolverError(error)
  // Arguments that only the run shows to be none.
  if (cause instanceof GraphQLError) return { ...shown, extensions: { code: 'BAD_USER_INPUT' } }
  const reported = toApiError(cause)
  const status = statusOf(reported.code, 'enveloped')
  if (status >= 500)
    log.error({ path: shown.path, err: reported.cause ?? reported }, 'failed to resolve a field')
  const { message } = reported
  return { ...shown, message, extensions: { code: CATALOGUE[reported.code].code } }
}
