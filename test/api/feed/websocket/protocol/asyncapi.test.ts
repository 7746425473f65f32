/**
 * The document of the feed: valid AsyncAPI 3 by the specification's own schema, with every op, frame,
 * code and close that there is.
 */
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import test from 'ava'
import { asyncApiDocument } from '../../../../../api/feed/websocket/protocol/asyncapi.ts'
import { CLOSES, FEED_CODES } from '../../../../../api/feed/websocket/protocol/close.ts'
import {
  DOCUMENTED_REQUESTS,
  FRAMES,
  REQUESTS,
} from '../../../../../api/feed/websocket/protocol/schema.ts'

// The package is CommonJS without types of its own.
const specifications = createRequire(import.meta.url)('@asyncapi/specs') as {
  schemas: Record<string, object>
}

test('the document is valid by the schema of AsyncAPI 3.0.0', (t) => {
  // It brings the schema of schemas itself.
  const ajv = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false })
  const holds = ajv.compile(specifications.schemas['3.0.0'] as object)
  const written = JSON.parse(JSON.stringify(asyncApiDocument()))
  holds(written)
  t.deepEqual(holds.errors ?? [], [])
})

test('every request has examples, and each fits its schema', (t) => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const { components } = JSON.parse(JSON.stringify(asyncApiDocument()))
  for (const [op, schema] of Object.entries(DOCUMENTED_REQUESTS)) {
    const { examples = [] } = components.messages[op]
    t.true(examples.length > 0, op)
    for (const { name, payload } of examples) {
      t.true(ajv.validate(schema, payload), `${op} ${name}: ${ajv.errorsText()}`)
    }
  }
})

test('describes every op, frame and close, and names every code', (t) => {
  const text = JSON.stringify(asyncApiDocument())
  const { components, channels } = JSON.parse(text)
  const names = [...Object.keys(REQUESTS), ...Object.keys(FRAMES)]
  t.deepEqual(Object.keys(components.messages), names)
  t.deepEqual(Object.keys(channels.feed.messages), names)
  t.deepEqual(components.messages.error.payload.properties.code.enum, [...FEED_CODES])
  for (const { code } of Object.values(CLOSES)) t.true(text.includes(`${code}: `))
  const [number] = components.messages.data.payload.properties.data.items.anyOf
  t.is(number.properties.sol_amount.format, 'int64')
  t.is(number.properties.dex.type, 'string')
  t.false('is_buy' in number.properties)
})
