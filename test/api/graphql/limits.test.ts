// How large a query is: depth, aliases and cost of small queries, against hand-computed values.

import test from 'ava'
import { buildSchema, type FragmentDefinitionNode, Kind, parse } from 'graphql'
import { refusalOf, sizeOf } from '../../../api/graphql/limits.ts'

const schema = buildSchema(`
  type Query { node: Node list(limit: Int = 100): [Node!]! many(limit: Int = 500): [Node!]! page(limit: Int): Page names: [String!]!
    of(token_addresses: [String!]): [Node!]! }
  type Page { data: [Node!]! next: String }
  type Node { value: Int child: Node children: [Node!]! }
`)

function requested(text: string, variables: Record<string, unknown> = {}) {
  const { definitions } = parse(text)
  const fragments = definitions.filter(
    (each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION,
  )
  const operation = definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION)
  const named = new Map(fragments.map((each) => [each.name.value, each]))
  return { schema, operation, fragments: named, variables }
}
const size = (text: string, variables?: Record<string, unknown>) =>
  sizeOf(requested(text, variables))

const READ = 100
const nested = (depth: number) =>
  `{ node ${'{ child '.repeat(depth - 2)} { value } ${'}'.repeat(depth - 2)} }`

test('depth counts fields, through fragments and not by them', (t) => {
  t.is(size('{ node { value } }').depth, 2)
  t.is(size('{ ... { ... on Query { node { value } } } }').depth, 2)
  t.is(size('{ ...A } fragment A on Query { node { ...B } } fragment B on Node { value }').depth, 2)
  t.is(size(nested(8)).depth, 8)
  t.is(refusalOf(size(nested(8))), undefined)
  t.regex(refusalOf(size(nested(9))) ?? '', /9 fields deep: expected at most 8/)
})

test('introspection has no depth and costs no rows of ours: it has separate limits', (t) => {
  const deep = `{ __schema { queryType { ofType { ofType { ofType { ofType { ofType { ofType { ofType {
    name } } } } } } } } } a: __type(name: "Node") { name } }`
  const { introspectedValues, introspectedBytes, ...rest } = size(deep)
  t.deepEqual(rest, { depth: 0, aliases: 1, cost: 0 })
  // __schema, queryType, its ofType, which is null; a and its name
  t.is(introspectedValues, 5)
  const reported = { __schema: { queryType: { ofType: null } }, a: { name: 'Node' } }
  t.true(introspectedBytes >= JSON.stringify(reported).length - 2)
})

test('aliases count within introspection as anywhere', (t) => {
  const many = (count: number) =>
    `{ __schema { types { ...A } } } fragment A on __Type { ${Array.from({ length: count }, (_, n) => `a${n}: name`).join(' ')} }`
  t.is(size(many(15)).aliases, 15)
  t.is(refusalOf(size(many(15))), undefined)
  t.regex(refusalOf(size(many(16))) ?? '', /16 aliases: expected at most 15/)
})

test('an alias costs its letters, for every row has them', (t) => {
  const long = (letters: number) => `{ list(limit: 7) { ${'a'.repeat(letters)}: value } }`
  t.is(size(long(99)).cost, READ + 7 * 2)
  t.is(size(long(1_000)).cost, READ + 7 * 12)
  t.regex(refusalOf(size(long(5_000_000))) ?? '', /may bring \d+ values/)
  const introspecting = `{ __schema { types { fields { ${'a'.repeat(100_000)}: name } } } }`
  t.regex(refusalOf(size(introspecting)) ?? '', /would bring \d+ bytes: expected at most/)
})

test('aliases count where they are spread, again and again', (t) => {
  t.is(size('{ a: node { b: value c: value } }').aliases, 3)
  t.is(size('{ ...A ...A } fragment A on Query { x: node { y: value } }').aliases, 4)
})

test('cost is fields times rows', (t) => {
  // node and value
  t.is(size('{ node { value } }').cost, READ + 2)
  // 100 rows of one field, each a value itself
  t.is(size('{ list { value } }').cost, READ + 200)
  t.is(size('{ list(limit: 7) { value } }').cost, READ + 14)
  t.is(size('query ($n: Int) { list(limit: $n) { value } }', { n: 9 }).cost, READ + 18)
  t.is(size('query ($n: Int = 3) { list(limit: $n) { value } }').cost, READ + 6)
  // page, next, and 5 rows of one field
  t.is(size('{ page(limit: 5) { data { value } next } }').cost, READ + 1 + 10 + 1)
  // a list inside a row: 10 of them in each of 2
  t.is(size('{ list(limit: 2) { children { value } } }').cost, READ + 2 * (1 + 10 * 2))
  t.is(size('{ names }').cost, READ + 100)
})

test('a limit of null is the default one', (t) => {
  t.is(size('{ many { value } }').cost, READ + 1_000)
  t.is(size('{ many(limit: null) { value } }').cost, READ + 1_000)
  t.is(size('query ($n: Int) { many(limit: $n) { value } }', { n: null }).cost, READ + 1_000)
  t.is(size('query ($n: Int) { many(limit: $n) { value } }').cost, READ + 1_000)
})

test('a text of several mints costs as much as that many texts', (t) => {
  t.is(size('{ of(token_addresses: ["a", "b", "c"]) { value } }').cost, READ + 6)
  t.is(size('{ of(token_addresses: ["a,b", "c"]) { value } }').cost, READ + 6)
  t.is(size('{ of(token_addresses: "a,b,c") { value } }').cost, READ + 6)
  const inVariable = 'query ($m: [String!]) { of(token_addresses: $m) { value } }'
  t.is(size(inVariable, { m: ['a', 'b,c'] }).cost, READ + 6)
  t.is(size('{ of(token_addresses: []) { value } }').cost, READ + 2)
})

test('no limit makes a query cheaper than nothing', (t) => {
  t.is(size('{ list(limit: -1000) { value } }').cost, READ + 2)
  t.is(size('{ list(limit: "x") { value } }').cost, READ + 2)
})

test('fragments that double each other are counted in the time of their text', (t) => {
  const names = Array.from({ length: 60 }, (_, n) => `F${n}`)
  const doubling = names.map((name, n) => {
    const next = names[n + 1]
    return `fragment ${name} on Query { ${next ? `...${next} ...${next}` : 'node { a: value }'} }`
  })
  const { aliases, depth } = size(`{ ...F0 } ${doubling.join(' ')}`)
  t.is(aliases, 2 ** 59)
  t.is(depth, 2)
})
