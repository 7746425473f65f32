/**
 * Parses and validates a request to /graphql, from its body or its URL, before Apollo sees it, so that every
 * error has a text and a code of this API.
 *
 * ```
 * Accept (406) -> Content-Type, Content-Encoding (415) -> bytes -> JSON -> an object -> its fields (400)
 * ```
 * Integers in variables stay exact. A persisted query has no query text: Apollo rejects it with the error that its
 * clients answer by sending the query.
 */

import type { Context } from 'koa'
import { expectJsonType, jsonOf, readJsonBody } from '../http/json-body.ts'
import { ApiError } from '../routing/error.ts'
import { shown, textOf } from '../routing/parameters.ts'
import { OF_EVERY_REQUEST, unknownAmong, unknownText } from '../routing/unknown-names.ts'

/** The first is the default for a request without Accept. */
const ANSWER_TYPES = ['application/json', 'application/graphql-response+json'] as const
const BODY_FORM = '{"query": "...", "variables": {...}}'

/** Fields of a body, and of the URL of a GET. */
const FIELDS = ['query', 'operationName', 'variables', 'extensions'] as const

type GraphqlBody = Record<(typeof FIELDS)[number], unknown>

/** The media type of an error response: GraphQL's own where the client accepts it, as for responses to queries. */
export function graphqlTypeFor(context: Pick<Context, 'accepts'>): string {
  return context.accepts([...ANSWER_TYPES]) || ANSWER_TYPES[0]
}

/** Stores the parsed request where Apollo looks for it. Rejects with ApiError. */
export async function readRequest(context: Context): Promise<void> {
  if (!context.accepts([...ANSWER_TYPES])) {
    const text = `Accept "${shown(context.get('Accept'))}": expected ${ANSWER_TYPES.join(' or ')}`
    throw new ApiError('INVALID_PARAM', text, { status: 406 })
  }
  expectKnown('parameter', context.query, context.method === 'GET' ? FIELDS : [])
  if (context.method === 'POST')
    (context.request as { body?: unknown }).body = await bodyOf(context)
  else if (context.method === 'GET') readUrl(context)
}

async function bodyOf(context: Context): Promise<object> {
  const body = await readJsonBody(context, BODY_FORM)
  if (Array.isArray(body)) {
    throw new ApiError('INVALID_PARAM', `the body is a list: expected one query, ${BODY_FORM}`)
  }
  if (!isObject(body)) throw new ApiError('INVALID_PARAM', `the body: expected ${BODY_FORM}`)
  expectKnown('field of the body', body, FIELDS)
  expectFields(body as Partial<GraphqlBody>)
  return body
}

function expectKnown(kind: string, given: object, known: readonly string[]): void {
  const letThrough = kind === 'parameter' ? [...known, ...OF_EVERY_REQUEST] : known
  const [name] = unknownAmong(Object.keys(given), letThrough)
  if (name !== undefined) throw new ApiError('INVALID_PARAM', unknownText(kind, name, known))
}

/** Where what JSON.parse would round is a text, which Int64 reads as well. */
function readUrl(context: Context): void {
  if (context.get('Content-Type') !== '') expectJsonType(context)
  const text = (name: string) => textOf(name, context.query[name])
  const value = (name: string) => {
    const json = text(name)
    return json === undefined ? undefined : jsonOf(name, json)
  }
  const values = { variables: value('variables'), extensions: value('extensions') }
  const texts = { query: text('query'), operationName: text('operationName') }
  expectFields({ ...texts, ...values })
  const written = Object.entries(values).map(([name, each]) => [name, plainText(name, each)])
  const given = [...Object.entries(texts), ...written].filter(([, each]) => each !== undefined)
  context.query = Object.fromEntries(given)
}

function plainText(name: string, value: unknown): string | undefined {
  if (value == null) return undefined
  try {
    return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? part.toString() : part))
  } catch (cause) {
    // A value that was parsed may still nest too deep to be serialized.
    throw new ApiError('INVALID_PARAM', `${name}: expected less within each other`, { cause })
  }
}

function expectFields({ query, operationName, variables, extensions }: Partial<GraphqlBody>): void {
  expectObjectOrNull('variables', variables)
  expectObjectOrNull('extensions', extensions)
  if (operationName != null && typeof operationName !== 'string') {
    throw new ApiError('INVALID_PARAM', 'operationName: expected a text')
  }
  if (query != null && typeof query !== 'string') {
    throw new ApiError('INVALID_PARAM', 'query: expected a text')
  }
  if (query || (extensions as { persistedQuery?: unknown } | undefined)?.persistedQuery) return
  throw new ApiError('MISSING_PARAM', 'query is required')
}

function expectObjectOrNull(name: string, value: unknown): void {
  if (value == null || isObject(value)) return
  throw new ApiError('INVALID_PARAM', `${name}: expected a JSON object`)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
