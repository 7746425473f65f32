// The schema file that generators of GraphQL clients read.

import { readFile } from 'node:fs/promises'
import test from 'ava'
import { buildSchema } from 'graphql'
import { servedText } from '../../../deploy/reference/served-text.ts'

const FILE = new URL('../../../api/graphql/schema.graphql', import.meta.url)

test('api/graphql/schema.graphql equals the output of "npm run generate:graphql"', async (t) => {
  const served = await servedText('/schema.graphql')
  t.is(await readFile(FILE, 'utf8'), served)
  t.truthy(buildSchema(served).getQueryType()?.getFields().swaps)
})
