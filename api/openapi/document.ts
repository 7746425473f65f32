/**
 * The OpenAPI 3.1 document, derived from the route declarations: every parameter with its bounds
 * and default, every response and every error with its schema. Pure.
 */
import Type, { type TObject, type TSchema } from 'typebox'
import { DEX_MAX, DEX_MIN, VENUES } from '../../domain/venue.ts'
import { type Components, createComponents } from '../routing/components.ts'
import { ApiError, CATALOGUE, type ErrorCode, shapeOf, statusOf } from '../routing/error.ts'
import { writeExact } from '../routing/json.ts'
import { type ParameterSchema, TIME_EDGES, UNKNOWN_NAMES } from '../routing/parameters.ts'
import { pathParameters, type Route, tagOf } from '../routing/route.ts'
import { VENUE } from '../routing/venue-naming.ts'
import { CSV, csvWriterOf } from '../serving/csv.ts'
import {
  AGE_HEADERS,
  CACHED_HEADERS,
  HEADERS,
  LIMIT_HEADERS,
  OWN_TOPICS,
  refusalFields,
  refusalIn,
  withHeaders,
} from './document-parts.ts'
import { errorOf } from './error-of.ts'
import { type Examples, examplesOf } from './examples.ts'
import { GRAPHQL_SCHEMAS, graphqlPaths } from './paths/graphql-path.ts'
import { MCP_PATHS, MCP_SCHEMAS } from './paths/mcp-path.ts'
import { otherPaths, type Serves } from './paths/other-paths.ts'

/** Version of the interface description. */
const VERSION = '1.0.0'

const swapsApiError = Type.Object(
  {
    error: Type.Enum([
      'not_found',
      'invalid_parameter',
      'database_error',
      'internal_error',
      'service_unavailable',
    ]),
    message: Type.String({ description: 'For people; no stable format' }),
  },
  { title: 'SwapsApiError' },
)

const errorEnvelope = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.Object(
      {
        code: Type.Enum([...new Set(Object.values(CATALOGUE).map(({ code }) => code))]),
        message: Type.String({ description: 'For people; no stable format' }),
        ...refusalFields,
      },
      { title: 'EnvelopedError' },
    ),
  },
  { title: 'ErrorEnvelope' },
)

const errorText = Type.Object(
  {
    success: Type.Literal(false),
    data: Type.Null(),
    error: Type.String({ description: 'For people; no stable format' }),
  },
  { title: 'ErrorText' },
)

const graphqlErrors = Type.Object(
  {
    errors: Type.Array(
      Type.Object(
        {
          message: Type.String({ description: 'For people; no stable format' }),
          extensions: Type.Object(
            { code: Type.String({ description: 'As in REST, or of GraphQL' }) },
            { title: 'GraphqlRefusalExtensions' },
          ),
        },
        { title: 'GraphqlRefusal' },
      ),
      { minItems: 1 },
    ),
  },
  { title: 'GraphqlErrors' },
)

const udfError = Type.Object(
  {
    s: Type.Literal('error'),
    errmsg: Type.String({ description: 'For people; no stable format' }),
  },
  { title: 'UdfError' },
)

const GATEWAY_ERRORS = ['UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED', 'UNAVAILABLE'] as const
const ERRORS = [swapsApiError, errorEnvelope, errorText, graphqlErrors, udfError]
const SECURITY = [{ header: [] }, { bearer: [] }, { query: [] }]
/** With a key or without one. */
const VISITORS_SECURITY = [{}, ...SECURITY]

export function openApiDocument(
  routes: readonly Route[],
  serves: Serves,
  examples: Examples = examplesOf(),
): Record<string, unknown> {
  const components = createComponents()
  for (const schema of [...ERRORS, ...GRAPHQL_SCHEMAS, ...MCP_SCHEMAS]) components.refer(schema)
  const paths = {
    ...pathsOf(routes, { components, examples, isPublic: serves.publicPages }),
    ...graphqlPaths(examples),
    ...MCP_PATHS,
    ...otherPaths(serves),
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Swaptide',
      version: VERSION,
      description:
        `Swaps of ${VENUES.length} DEX venues. int64 fields are exact JSON integers, or texts of digits with int64=string in the ` +
        'query or as the header Int64. Examples of answers show one row ' +
        'of a list. A method that a path does not have is 405 with Allow, and needs no key.',
      contact: { name: 'Operators of this installation' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Where this document comes from' }],
    security: SECURITY,
    tags: tagsOf(paths, routes),
    paths: describedPaths(paths),
    components: {
      headers: HEADERS,
      schemas: components.schemas(),
      securitySchemes: {
        header: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
        query: { type: 'apiKey', in: 'query', name: 'api_key' },
        operator: { type: 'http', scheme: 'bearer', description: 'ADMIN_TOKEN, of operators' },
      },
    },
  }
}

type Operation = Record<string, unknown> & {
  summary: string
  description?: string
  tags: readonly string[]
}
type Paths = Record<string, Record<string, Operation>>

/** Parts that the operations of a document share. */
type Parts = { components: Components; examples: Examples; isPublic: boolean }

function pathsOf(routes: readonly Route[], parts: Parts): Paths {
  const byPath = Map.groupBy(routes, ({ path }) => path)
  return Object.fromEntries(
    Array.from(byPath, ([path, group]) => [
      path,
      Object.fromEntries(group.map((route) => [route.method ?? 'get', operationOf(route, parts)])),
    ]),
  )
}

/** Generators take the description of an operation for its comment: where it has none, the summary is one. */
function describedPaths(paths: Paths): Paths {
  const described = ({ summary, ...rest }: Operation): Operation => ({
    summary,
    description: `${summary}.`,
    ...rest,
  })
  return mapValues(paths, (operations) => mapValues(operations, described))
}

function mapValues<From, To>(from: Record<string, From>, to: (value: From) => To) {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, to(value)]))
}

/** The tags that the paths use, by their place. */
function tagsOf(paths: Paths, routes: readonly Route[]): object[] {
  const used = Object.values(paths).flatMap((each) =>
    Object.values(each).flatMap(({ tags }) => tags),
  )
  const declared = routes.flatMap(({ path, topic }) =>
    topic === undefined ? [] : [{ name: tagOf(path), ...topic }],
  )
  return [...declared, ...OWN_TOPICS]
    .filter(({ name }) => used.includes(name))
    .sort((a, b) => a.listedAt - b.listedAt)
    .map(({ name, description }) => ({ name, description }))
}

/** Security requirement of routes that do not use an API key. */
const ACCESS_SECURITY = { public: [], operator: [{ operator: [] }] }

/** Whether the route requires a key. */
const isLimited = ({ access }: Route): boolean => access === undefined

function headersOf(route: Route) {
  return withHeaders({
    ...(isLimited(route) ? { ...LIMIT_HEADERS, ...AGE_HEADERS } : {}),
    ...(route.cacheName === undefined ? {} : CACHED_HEADERS),
  })
}

const CSV_SCHEMA = {
  type: 'string',
  description:
    'The rows of the list, with the names of the columns in the first line; the headers Link and X-Next-Cursor lead to ' +
    'the next page, and X-As-Of states the moment of an answer as of a slot',
}
const UNCHANGED = 'The answer is the one of If-None-Match'

function operationOf(route: Route, parts: Parts): Operation {
  const { components, examples, isPublic } = parts
  const { path, operationId, summary, description, access, answer } = route
  const isVisited = isPublic && route.isOnPages
  const codes = access === undefined ? [...GATEWAY_ERRORS, ...route.errors] : route.errors
  return {
    operationId,
    summary,
    tags: [tagOf(path)],
    ...(description === undefined ? {} : { description }),
    ...(isVisited ? { security: VISITORS_SECURITY } : {}),
    ...(access === undefined ? {} : { security: ACCESS_SECURITY[access] }),
    parameters: parametersOf(route, examples),
    ...bodyOf(route, parts),
    responses: {
      200: {
        description: 'The answer',
        ...headersOf(route),
        content: {
          'application/json': {
            schema: components.refer(answer),
            example: examples.answer(route),
          },
          ...csvContent(route, examples),
        },
      },
      ...(route.accepted === undefined ? {} : { 202: acceptedOf(route, route.accepted, parts) }),
      ...(route.cacheName === undefined
        ? {}
        : { 304: { description: UNCHANGED, ...headersOf(route) } }),
      ...errorResponses([...new Set(codes)], route, examples),
      ...(route.body === undefined ? {} : { 415: refusedType(route) }),
    },
  }
}

/** The state of an answer that is not ready, with the example of its schema. */
function acceptedOf(route: Route, accepted: TSchema, { components }: Parts): object {
  const [example] = (accepted as { examples?: readonly unknown[] }).examples ?? []
  return {
    description: 'The answer is not ready: its state',
    ...headersOf(route),
    content: { 'application/json': { schema: components.refer(accepted), example } },
  }
}

/** Lists are also sent as CSV. */
function csvContent(route: Route, examples: Examples) {
  const writeCsv = csvWriterOf(route)
  if (writeCsv === undefined) return {}
  const answer = examples.answer(route)
  const example = answer === undefined ? undefined : writeCsv(writeExact(answer)).text
  return { [CSV]: { schema: CSV_SCHEMA, example } }
}

/** Refusal of a body that is no JSON by its Content-Type. */
function refusedType({ family }: Route): object {
  const text = 'Content-Type "text/plain": expected application/json'
  const error = new ApiError('INVALID_PARAM', text, { status: 415 })
  return refusalIn({ error, family, description: CATALOGUE.INVALID_PARAM.code, hasLimit: true })
}

/** A field with a default may be left out. */
function withoutDefaults(body: TObject): TObject {
  const properties = body.properties as Record<string, { default?: unknown }>
  const required = (body.required ?? []).filter((name) => properties[name]?.default === undefined)
  return { ...body, required } as TObject
}

/** A JSON body, with those values of the route's example that are its fields. */
function bodyOf(
  { body, example: exampleIn }: Route,
  { components, examples }: Parts,
): { requestBody?: object } {
  if (body === undefined) return {}
  const example = exampleIn(examples.market)
  const fields = Object.keys(body.properties).filter((name) => example[name] !== undefined)
  const requested = Object.fromEntries(fields.map((name) => [name, example[name]]))
  const content = {
    'application/json': { schema: components.refer(withoutDefaults(body)), example: requested },
  }
  return { requestBody: { required: true, content } }
}

/** Parameters of the route's example share one example; the others have one each. One of two names is two parameters. */
function parametersOf(route: Route, examples: Examples): object[] {
  const example = route.example(examples.market)
  const properties = Object.entries(route.parameters.properties as Record<string, ParameterSchema>)
  const given = properties.filter(([, { format }]) => format !== UNKNOWN_NAMES)
  return given.flatMap(([name, { also, ...schema }]) => {
    const own = {
      ...parameterOf(route, name, schema),
      ...exampleIn(name, schema, { path: route.path, example, examples }),
    }
    if (also === undefined) return [own]
    const either = own.required ? ': one of the two is required' : ''
    const description = `${schema.description}; also ${also}${either}`
    const other = { name: also, required: false, description: `Another name of ${name}` }
    return [
      { ...own, required: false, description },
      { ...own, ...other },
    ]
  })
}

type Exemplified = {
  path: string
  example: Readonly<Record<string, unknown>>
  examples: Examples
}

/** The value in the example of the route, else one by itself. */
function exampleIn(
  name: string,
  schema: ParameterSchema,
  { path, example, examples }: Exemplified,
) {
  const given = example[name]
  if (given !== undefined) return { example: exampleOf(given, schema) }
  const value = examples.parameter(path, name, schema)
  return value === undefined ? {} : { examples: { alone: { value } } }
}

function parameterOf({ path, parameters }: Route, name: string, given: ParameterSchema) {
  const { description, ...schema } = given
  const isInPath = pathParameters(path).includes(name)
  const isRequired = parameters.required?.includes(name) === true && schema.default === undefined
  return {
    name,
    in: isInPath ? 'path' : 'query',
    required: isInPath || isRequired,
    ...(description === undefined ? {} : { description }),
    // A list is written with commas; one in brackets may also be given again and again.
    ...(schema.type === 'array' ? { style: 'form', explode: name.endsWith('[]') } : {}),
    schema: documented(schema),
  }
}

/** A time is read from three kinds of text, a venue from a number or a name: no one type describes them. */
function documented(schema: ParameterSchema): object {
  if (schema.format === VENUE) {
    const names = VENUES.flatMap(({ name, programName }) => [name, programName])
    return {
      anyOf: [
        { type: 'integer', minimum: DEX_MIN, maximum: DEX_MAX },
        { type: 'string', enum: names },
      ],
    }
  }
  if (!TIME_EDGES.has(schema.format)) return schema
  const { format: _own, ...integer } = schema
  const texts = ['date-time', 'date'].map((format) => ({ type: 'string', format }))
  return { anyOf: [{ ...integer, format: 'int64' }, ...texts] }
}

/** A list in an example is comma-separated, as in the query. */
function exampleOf(example: unknown, { type }: ParameterSchema): unknown {
  return type === 'array' && typeof example === 'string' ? example.split(',') : example
}

/** One response a status: codes of the same status have the same shape in a family. */
function errorResponses(
  codes: readonly ErrorCode[],
  route: Route,
  examples: Examples,
): Record<string, unknown> {
  const { family } = route
  const byStatus = Map.groupBy(codes, (code) => statusOf(code, family))
  const responses = Array.from(byStatus, ([status, group]) => {
    const [first] = group as [ErrorCode]
    const names = group.map((code) =>
      shapeOf(code, family) === 'flat' ? CATALOGUE[code].flat : CATALOGUE[code].code,
    )
    const description = [...new Set(names)].join(', ')
    const error = errorOf(route, first, examples)
    return [status, refusalIn({ error, family, description, hasLimit: isLimited(route) })]
  })
  return Object.fromEntries(responses)
}
