/**
 * The fields of Query: one per route, with its parameters as arguments and its response as type.
 *
 * A new route becomes a field automatically, named by its declaration or else after its path.
 * `data` of an envelope is the field's own value; where a response has more (a cursor, the pool of candles), a
 * second field returns all of it: `<name>Page { data next_cursor }`.
 */

import {
  type GraphQLArgumentConfig,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  printSchema,
} from 'graphql'
import { counted } from '../../domain/text/plural.ts'
import { ApiError } from '../routing/error.ts'
import { UNKNOWN_NAMES } from '../routing/parameters.ts'
import { AS_OF_NAMES, statedMoment } from '../routing/reading/as-of.ts'
import type { Route } from '../routing/route.ts'
import type { IntegerForm } from '../serving/integer-form.ts'
import type { GraphqlContext } from './context.ts'
import { type EnumMaker, enumMaker } from './enums.ts'
import { int64Scalar } from './int64.ts'
import { costBeyond, LIMITS, tooLarge } from './limits.ts'
import {
  nullableOf,
  pascal,
  type Row,
  type Shape,
  scalarOf,
  type TypeMaker,
  typeMaker,
} from './shapes.ts'
import { refuseTokens, type TokenType, tokenFields, tokenType } from './token.ts'

/** Arguments with a better name than their parameter. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  w: 'wallet',
  t: 'token',
  'mints[]': 'mints',
}

/** Fields of every response of the enveloped family. */
const ENVELOPE: ReadonlySet<string> = new Set(['success', 'data'])

/** Makers of the types of one schema. */
type Makers = { make: TypeMaker; enums: EnumMaker; int64: GraphQLScalarType }
type Field = GraphQLFieldConfig<unknown, GraphqlContext, Row>
type Fields = GraphQLFieldConfigMap<Row, GraphqlContext>

/** The routes that have a field: all that read for a key, batches too, but those of another protocol. */
export function mirrored(routes: readonly Route[]): Route[] {
  return routes.filter(
    ({ access, method, body, family }) =>
      access === undefined && (method === undefined || body !== undefined) && family !== 'udf',
  )
}

/** `form`: how Int64 is written. */
export function graphqlSchema(
  routes: readonly Route[],
  form: IntegerForm = 'number',
): GraphQLSchema {
  const int64 = int64Scalar(form)
  const enums = enumMaker()
  const swapType = enums({ title: 'SwapType', enum: ['buy', 'sell'] }, '') ?? GraphQLString
  const more = moreFieldsWith({ swapType, int64, token: tokenType(int64) })
  const make = typeMaker({ more, enums, int64 })
  const makers = { make, enums, int64 }
  const fields: Record<string, Field> = {}
  const add = (name: string, field: Field): void => {
    if (Object.hasOwn(fields, name)) throw new Error(`two fields are called "${name}"`)
    fields[name] = field
  }
  for (const route of mirrored(routes)) {
    for (const [name, field] of fieldsOf(route, makers)) add(name, field)
    const { graphqlAllTime: allTime } = route
    if (allTime !== undefined) add(allTime.field, ofAllTime(route, allTime.description, makers))
  }
  return new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) })
}

/** The schema in the schema language, for generators of clients. */
export function graphqlSchemaText(routes: readonly Route[]): string {
  const header = '# The GraphQL schema of Swaptide, derived from the routes of REST.'
  return `${header}\n\n${printSchema(graphqlSchema(routes))}\n`
}

/** Name of the field of Query that is the route. */
export function fieldName({ path, graphqlField }: Pick<Route, 'path' | 'graphqlField'>): string {
  if (graphqlField !== undefined) return graphqlField
  const words = path.replace(/^\/(?:api\/v1|v2(?:\/pnl)?)/, '').replaceAll(/\{\w+\}/g, '')
  const name = pascal(words)
  return name.charAt(0).toLowerCase() + name.slice(1)
}

function fieldsOf(route: Route, makers: Makers): [string, Field][] {
  const { make } = makers
  const name = fieldName(route)
  const answer = route.answer as Shape
  const rows = answer.properties?.success === undefined ? undefined : answer.properties.data
  const type = make(answer, pascal(rows ? `${name}Page` : name))
  const whole = [name, fieldOf(route, makers, type)] as const
  if (rows === undefined) return [[...whole]]
  const pageName = `${name}Page`
  const own = fieldOf(route, makers, make(rows, pascal(name)), (read, { limit }) =>
    rowsOf(read, Number(limit), pageName),
  )
  const page: [string, Field] = [pageName, whole[1]]
  const besides = Object.keys(answer.properties ?? {}).filter((each) => !ENVELOPE.has(each))
  return besides.length === 0 ? [[name, own]] : [[name, own], page]
}

/** A plain list cannot report that it ended early (api/routing/reading/scan-budget.ts): it is complete or an error. */
function rowsOf({ data, next_cursor: next }: Row, limit: number, pageName: string): unknown {
  if (typeof next !== 'string' || !Array.isArray(data) || data.length >= limit) return data
  throw new ApiError(
    'GATEWAY_TIMEOUT',
    `matching rows are too rare for a list: request ${pageName} and page by its next_cursor`,
  )
}

/**
 * Lists and maps without a limit of their own may have any number of rows: their cost is known only here.
 */
function countRows({ answer }: Route, read: Row, context: GraphqlContext, run: GraphQLResolveInfo) {
  const { properties = {} } = answer as Shape
  const counts = Object.entries(read).map(([name, each]) => {
    if (Array.isArray(each)) return each.length
    const isMap = properties[name]?.patternProperties !== undefined
    return isMap ? Object.keys(each as object).length : 0
  })
  const rows = Math.max(0, ...counts)
  const cost = costBeyond(run, rows)
  if (cost > context.costLeft) {
    throw tooLarge(
      `${counted(rows, 'row')} of ${run.fieldName} would return over ${LIMITS.cost} values: request fewer fields of them`,
    )
  }
  context.costLeft -= cost
}

function fieldOf(
  route: Route,
  makers: Makers,
  type: ReturnType<TypeMaker>,
  pick: (answer: Row, parameters: Row) => unknown = (answer) => answer,
): Field {
  const { summary, description } = route
  const field = fieldName(route)
  const given = argumentsOf(field, route.parameters, makers)
  const listed = route.body === undefined ? [] : bodyArguments(field, route.body, makers)
  return {
    // A read that fails leaves those alongside it as they are.
    type: nullableOf(type),
    description: description === undefined ? `${summary}.` : `${summary}. ${description}`,
    args: Object.fromEntries([...given, ...listed].map(({ name, config }) => [name, config])),
    resolve: async (_root, args, context, run) => {
      const texts = given.flatMap(({ name, parameter }) =>
        args[name] == null ? [] : [[parameter, textOf(args[name])]],
      )
      const parameters = {
        ...route.parse(Object.fromEntries(texts), argumentOf),
        ...route.parseBody?.(bodyIn(listed, args)),
      }
      const moment = statedMoment(parameters)
      if (moment !== undefined) refuseTokens(moment, run)
      const read = (await context.reads.route(route, parameters)) as Row
      countRows(route, read, context, run)
      return pick(read, parameters)
    },
  }
}

/** The field of a route by its wallet and moment only, in the window of all time. */
function ofAllTime(route: Route, description: string, makers: Makers): Field {
  const type = makers.make(route.answer as Shape, pascal(fieldName(route)))
  const field = fieldOf(route, makers, type)
  const names = ['wallet', ...AS_OF_NAMES]
  const args = Object.entries(field.args ?? {}).filter(([name]) => names.includes(name))
  return {
    ...field,
    description,
    args: Object.fromEntries(args),
    resolve: (root, given, context, run) =>
      field.resolve?.(root, { ...given, window: 'all' }, context, run),
  }
}

const argumentOf = (parameter: string): string =>
  ARGUMENTS[parameter] ?? parameter.replace(/\W+$/, '')

type Argument = { name: string; parameter: string; config: GraphQLArgumentConfig }

function argumentsOf(
  field: string,
  parameters: Route['parameters'],
  { enums, int64 }: Makers,
): Argument[] {
  const { properties = {}, required } = parameters as Shape
  const shown = Object.entries(properties).filter(([, { format }]) => format !== UNKNOWN_NAMES)
  return shown.map(([parameter, shape]) => {
    const fallbackName = pascal(`${field}_${argumentOf(parameter)}`)
    const isList = shape.type === 'array'
    const one = enums(isList ? (shape.items ?? {}) : shape, fallbackName)
    const type: GraphQLInputType = isList
      ? new GraphQLList(new GraphQLNonNull(one ?? scalarOf(shape.items ?? {}, int64)))
      : (one ?? scalarOf(shape, int64))
    const isRequired = required?.includes(parameter) === true && shape.default === undefined
    return {
      name: argumentOf(parameter),
      parameter,
      config: {
        type: isRequired ? new GraphQLNonNull(type) : type,
        ...describe(shape),
        ...(shape.default === undefined ? {} : { defaultValue: shape.default }),
      },
    }
  })
}

/** Fields of a JSON body as arguments. */
function bodyArguments(
  field: string,
  body: NonNullable<Route['body']>,
  makers: Makers,
): Argument[] {
  const { properties = {} } = body as Shape
  return argumentsOf(field, body, makers).map(({ name, parameter, config }) => {
    const row = properties[parameter]?.items
    if (row?.properties === undefined) return { name, parameter, config }
    const type = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(inputOf(row))))
    return { name, parameter, config: { ...config, type } }
  })
}

/** An object within a body; the schema names it by its title. */
function inputOf({ title = 'Row', properties = {} }: Shape): GraphQLInputObjectType {
  const fields = Object.entries(properties).map(
    ([name, shape]): [string, GraphQLInputFieldConfig] => [
      name,
      { type: new GraphQLNonNull(GraphQLString), ...describe(shape) },
    ],
  )
  return new GraphQLInputObjectType({ name: title, fields: Object.fromEntries(fields) })
}

const bodyIn = (listed: readonly Argument[], args: Row): Row =>
  Object.fromEntries(
    listed.flatMap(({ name, parameter }) => (args[name] == null ? [] : [[parameter, args[name]]])),
  )

/** An argument that is no enum lists the accepted values in its description. */
function describe(shape: Shape): { description?: string } {
  const { description, default: usual } = shape
  const values = shape.enum ?? shape.items?.enum
  const notes = [
    ...(description === undefined ? [] : [description]),
    ...(values === undefined ? [] : [`one of ${values.join(' ')}`]),
    ...(usual === undefined ? [] : [`default ${usual}`]),
  ]
  return notes.length === 0 ? {} : { description: notes.join('; ') }
}

/**
 * An argument as the query of a URL writes it, lists as lists. A number by the digits that mean it, not those
 * that its double has beyond: 1e-9 SOL are one lamport.
 */
const textOf = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(String) : String(value)

type Besides = { swapType: GraphQLLeafType; int64: GraphQLScalarType; token: TokenType }

/** Fields that are renamed in GraphQL, and the field `token` of types that name a mint. */
const moreFieldsWith =
  ({ swapType, int64, token }: Besides) =>
  (typeName: string, names: ReadonlySet<string>): Fields => {
    const renamed: Fields = {}
    if (typeName === 'Swap') {
      const text = { type: new GraphQLNonNull(GraphQLString) }
      const type = new GraphQLNonNull(swapType)
      renamed.swap_type = { type, resolve: ({ is_buy }: Row) => (is_buy ? 'buy' : 'sell') }
      renamed.trader = { ...text, resolve: ({ user }: Row) => user }
      renamed.pool_address = { ...text, resolve: ({ pair_address }: Row) => pair_address }
    }
    if (typeName === 'WalletStats') {
      renamed.swap_count = {
        type: int64,
        description: 'total_trades',
        resolve: ({ total_trades }: Row) => total_trades,
      }
    }
    return { ...tokenFields(token, names), ...renamed }
  }
