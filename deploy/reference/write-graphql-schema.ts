/** `npm run generate:graphql`: writes the GraphQL schema. */
import { writeFile } from 'node:fs/promises'
import { servedText } from './served-text.ts'

await writeFile(
  new URL('../../api/graphql/schema.graphql', import.meta.url),
  await servedText('/schema.graphql'),
)
