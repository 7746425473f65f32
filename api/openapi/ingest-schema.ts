/** /ingest.schema.json: the ingest contract, for producers that check their lines before they send them. */
import Type from 'typebox'
import { ingestSchema } from '../../streams/ingest/json-schema.ts'
import { type Route, route } from '../routing/route.ts'

const SCHEMA = ingestSchema()

export const ingestSchemaRoute: Route = route({
  path: '/ingest.schema.json',
  operationId: 'getIngestSchema',
  access: 'public',
  family: 'enveloped',
  summary: 'A line of the ingest format, as JSON Schema',
  description: 'From the table that checks the lines. Bounds of int64 are exact integers.',
  parameters: Type.Object({}),
  answer: Type.Unsafe<object>({ type: 'object', examples: [{ title: SCHEMA.title }] }),
  errors: [],
  example: {},
  respond: async () => SCHEMA,
})
