// Queries to /graphql of an API under test, and whole answers: every field of a type, by introspection.

import {
  buildClientSchema,
  type ExecutionResult,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
} from 'graphql'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import type { ApiUnderTest } from '../../support/api/api-under-test.ts'

export type Row = Record<string, unknown>
type GraphqlAnswer = ExecutionResult<Row> & {
  status: number
  headers: Headers
  text: string
}

export type RequestGraphql = (
  query: string,
  variables?: Row | string,
  headers?: Record<string, string>,
) => Promise<GraphqlAnswer>

/** With an unlimited key. Variables may be given as JSON text. */
export async function asker({
  api,
  db,
}: Pick<ApiUnderTest, 'api' | 'db'>): Promise<{ send: RequestGraphql; key: string }> {
  const wanted = {
    tier: 'enterprise',
    environment: 'test',
    account: 'graphql',
    by: 'test',
  } as const
  const { key } = await createKey(db, wanted)
  const send: RequestGraphql = async (query, variables = {}, headers = { 'X-API-Key': key }) => {
    const given = typeof variables === 'string' ? variables : JSON.stringify(variables)
    const response = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: `{"query":${JSON.stringify(query)},"variables":${given}}`,
    })
    const text = await response.text()
    const answer = JSON.parse(text) as ExecutionResult<Row>
    return { status: response.status, headers: response.headers, text, ...answer }
  }
  return { send, key }
}

export async function introspected(request: RequestGraphql): Promise<GraphQLSchema> {
  const { data } = await request(getIntrospectionQuery())
  return buildClientSchema(data as never)
}

/** All fields of a type, those of its fields too; tokens of rows are left out. */
export function wholeOf(type: GraphQLObjectType): string {
  const fields = Object.values(type.getFields()).filter(
    (field) => getNamedType(field.type).toString() !== 'Token',
  )
  const selections = fields.map((field) => {
    const inner = getNamedType(field.type)
    return isObjectType(inner) ? `${field.name} ${wholeOf(inner)}` : field.name
  })
  return `{ ${selections.join(' ')} }`
}
