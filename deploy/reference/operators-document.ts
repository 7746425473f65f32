/** The OpenAPI document with the routes of operators, which several generated files read: it is served once. */
import { NO_OPERATIONS } from '../../api/admin/no-operations.ts'
import { servedText } from '../../api/served-text.ts'

let served: Promise<string> | undefined

export async function operatorsDocument<Document>(): Promise<Document> {
  served ??= servedText('/openapi.json', { operations: NO_OPERATIONS })
  return JSON.parse(await served) as Document
}
