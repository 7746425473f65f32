// Introspection: the counted cost equals the answer, programs that request the whole schema get it, and a query that
// would return it many times over is refused before execution.

import test from 'ava'
import {
  buildClientSchema,
  type ExecutionResult,
  execute,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getIntrospectionQuery,
  Kind,
  parse,
} from 'graphql'
import { LIMITS, type Size, sizeOf } from '../../../api/graphql/limits.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { asker, type RequestGraphql } from './send-query.ts'

const ALL = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
}
const under = apiForFile()
let send: RequestGraphql
let schema: GraphQLSchema

test.serial.before(async () => {
  ;({ send } = await asker(under()))
  const { data } = await send(getIntrospectionQuery(ALL))
  schema = buildClientSchema(data as never)
})

function sizeIn(text: string): Size {
  const { definitions } = parse(text)
  const fragments = definitions.filter(
    (each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION,
  )
  return sizeOf({
    schema,
    operation: definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION),
    fragments: new Map(fragments.map((each) => [each.name.value, each])),
    variables: {},
  })
}

/** Objects, lists and their values. */
function valuesIn(reported: unknown): number {
  if (typeof reported !== 'object' || reported === null) return 1
  return Object.values(reported).reduce<number>((sum, each) => sum + valuesIn(each), 1)
}

const TYPE_REF = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }'
/**
 * Requests of programs: GraphiQL, Sandbox and graphql-codegen by graphql's own, rover and Altair in words like these.
 */
const USUAL = {
  plain: getIntrospectionQuery(),
  everything: getIntrospectionQuery(ALL),
  'without descriptions': getIntrospectionQuery({ descriptions: false }),
  'very deep': getIntrospectionQuery({ ...ALL, typeDepth: 30 }),
  'in one piece': `query IntrospectionQuery { __typename __schema { queryType { name } types { kind name description
    fields(includeDeprecated: true) { name description args { name description type { ${TYPE_REF} } defaultValue }
      type { ${TYPE_REF} } isDeprecated deprecationReason }
    inputFields { name description type { ${TYPE_REF} } defaultValue } interfaces { ${TYPE_REF} }
    enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
    possibleTypes { ${TYPE_REF} } }
    directives { name description locations args { name description type { ${TYPE_REF} } defaultValue } } } }`,
  'one type': `{ __type(name: "Swap") { name fields { name __typename type { ${TYPE_REF} } } } }`,
}

test('counts as many values as the answer brings, and nearly as many bytes', (t) => {
  const others = [
    '{ a: __type(name: "Swap") { fields { type { b: name } } } c: __type(name: "None") { name } }',
    '{ __schema { types { ...T } } } fragment T on __Type { fields { type { ...N fields { type { ...N } } } } } fragment N on __Type { __typename kind name ofType { ...O } } fragment O on __Type { name ofType { name ofType { name } } }',
    '{ __schema { __typename description directives { isRepeatable locations args { type { enumValues { name } } } } } }',
  ]
  for (const text of [...Object.values(USUAL), ...others]) {
    const { data: reported } = execute({ schema, document: parse(text) }) as ExecutionResult
    const { introspectedValues, introspectedBytes } = sizeIn(text)
    // Fields of the root are in no counted object; __typename there is no introspection.
    const root = '__typename' in reported! ? 2 : 1
    t.is(introspectedValues, valuesIn(reported) - root, text.slice(0, 80))
    const bytes = JSON.stringify(reported).length
    t.true(introspectedBytes > 0.98 * bytes - 40, `${introspectedBytes} of ${bytes}`)
    t.true(introspectedBytes < 1.1 * bytes + 40, `${introspectedBytes} of ${bytes}`)
  }
})

test('serves the whole schema to programs, and it may still grow', async (t) => {
  for (const [name, query] of Object.entries(USUAL)) {
    const { status, errors } = await send(query)
    t.is(status, 200, name)
    t.is(errors, undefined, name)
    const { introspectedValues, introspectedBytes } = sizeIn(query)
    t.true(introspectedValues < LIMITS.introspectedValues / 3, `${name}: ${introspectedValues}`)
    t.true(introspectedBytes < LIMITS.introspectedBytes / 3, `${name}: ${introspectedBytes}`)
  }
})

const named = (count: number, letter: string, field: string) =>
  Array.from({ length: count }, (_, n) => `${letter}${n}:${field}`).join(' ')
const timesOver = (types: number, names: number) =>
  `{__schema{${named(types, 't', 'types{...A}')}}} fragment A on __Type{fields{type{...B ofType{...B ofType{...B}}}}} fragment B on __Type{fields{${named(names, 'l', 'name')}}}`
const ROWS = `name description type{...K} args{name description type{...K}}`
const KIND =
  'fragment K on __Type{name description kind ofType{name description kind ofType{name description kind}}}'

test('refuses a query that brings the schema many times over, however it is written', async (t) => {
  const refused: [string, RegExp][] = [
    [timesOver(20, 50), /3020 aliases: expected at most 15/],
    [timesOver(0, 16).replace('{__schema{}}', '{__schema{types{...A}}}'), /48 aliases/],
    [
      `{${named(6, 's', '__schema{...S}')}} fragment S on __Schema{types{fields{${ROWS}}}} ${KIND}`,
      /would bring \d+ (?:values|bytes): expected at most/,
    ],
    [
      `{__schema{${named(4, 't', 'types{...T}')}}} fragment T on __Type{fields{type{...F ofType{...F ofType{...F}}}}} fragment F on __Type{fields{${ROWS}}} ${KIND}`,
      /would bring \d+ (?:values|bytes): expected at most/,
    ],
    [
      `{__schema{types{fields{${'a'.repeat(60_000)}:name}}}}`,
      /would bring \d+ bytes: expected at most 1800000/,
    ],
    [`{${named(16, 't', '__type(name:"Swap"){name}')}}`, /16 aliases/],
  ]
  for (const [query, expected] of refused) {
    const { status, errors, data } = await send(query)
    t.is(status, 400, query.slice(0, 60))
    t.is(data, undefined)
    t.is(errors?.[0]?.extensions.code, 'QUERY_TOO_LARGE')
    t.regex(errors?.[0]?.message ?? '', expected)
  }
})

test('counts in time linear in the words of a query, whatever it would return', (t) => {
  const doubling = Array.from({ length: 60 }, (_, n) => {
    const next = n === 59 ? 'fields { type { name } }' : `...F${n + 1} ofType { ...F${n + 1} }`
    return `fragment F${n} on __Type { ...F${n + 1 > 59 ? 'Z' : n + 1} ${next} }`
  })
  const text = `{ __schema { types { ...F0 } } } ${doubling.join(' ')} fragment FZ on __Type { name }`
  // Word for word, it would take years.
  t.true(sizeIn(text).introspectedValues > 2 ** 50)
})

test('the execution refuses an invalid argument, which costs nothing', async (t) => {
  const query = 'query ($name: String!) { __type(name: $name) { name } }'
  t.is((await send(query)).status, 400)
  t.like(await send(query, { name: 'Swap' }), { status: 200, data: { __type: { name: 'Swap' } } })
  t.like(await send(query, { name: 'None' }), { status: 200, data: { __type: null } })
})
