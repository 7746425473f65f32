/**
 * The document of the feed: valid AsyncAPI 3 by the specification's own schema, with every op, frame,
 * code and close that there is.
 */
import { createRequire } from 'node:module'
import { type IConstructorOpts, Spectral } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { Ajv } from 'ajv'
import test from 'ava'
import { recordedExamples } from '../../../../../api/examples/recorded.ts'
import { FEED_CODES } from '../../../../../api/feed/feed-error.ts'
import { asyncApiDocument } from '../../../../../api/feed/websocket/protocol/asyncapi.ts'
import { CLOSES } from '../../../../../api/feed/websocket/protocol/close.ts'
import {
  DOCUMENTED_REQUESTS,
  FRAMES,
  REQUESTS,
} from '../../../../../api/feed/websocket/protocol/schema.ts'

// The package is CommonJS without types of its own.
const specifications = createRequire(import.meta.url)('@asyncapi/specs') as {
  schemas: Record<string, object>
}

const MARKET = recordedExamples().market

type Message = { name: string; title: string; summary: string; payload: { $ref: string } }

test('the document is valid by the schema of AsyncAPI 3.1.0', (t) => {
  // The schema of AsyncAPI includes the meta-schema.
  const ajv = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false })
  const holds = ajv.compile(specifications.schemas['3.1.0'] as object)
  const written = JSON.parse(JSON.stringify(asyncApiDocument(MARKET)))
  holds(written)
  t.deepEqual(holds.errors ?? [], [])
})

test('every request has examples, and each fits its schema', (t) => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const { components } = JSON.parse(JSON.stringify(asyncApiDocument(MARKET)))
  for (const [op, schema] of Object.entries(DOCUMENTED_REQUESTS)) {
    const { examples = [] } = components.messages[op]
    t.true(examples.length > 0, op)
    for (const { name, payload } of examples) {
      t.true(ajv.validate(schema, payload), `${op} ${name}: ${ajv.errorsText()}`)
    }
  }
})

test('describes every op, frame and close, and names every code', (t) => {
  const text = JSON.stringify(asyncApiDocument(MARKET))
  const { components, channels } = JSON.parse(text)
  const names = [...Object.keys(REQUESTS), ...Object.keys(FRAMES)]
  t.deepEqual(Object.keys(components.messages), names)
  t.deepEqual(Object.keys(channels.feed.messages), names)
  t.deepEqual(components.schemas.ErrorFrame.properties.code.enum, [...FEED_CODES])
  for (const { code } of Object.values(CLOSES)) t.true(text.includes(`${code}: `))
  const [number, string] = components.schemas.DataFrame.properties.data.items.anyOf
  t.is(number.$ref, '#/components/schemas/StreamedSwap')
  t.is(string.$ref, '#/components/schemas/StreamedSwapWithText')
  const { StreamedSwap, StreamedSwapWithText } = components.schemas
  t.is(StreamedSwap.properties.sol_amount.format, 'int64')
  t.is(StreamedSwapWithText.properties.sol_amount.type, 'string')
  t.is(StreamedSwap.properties.dex.type, 'string')
  t.false('is_buy' in StreamedSwap.properties)
})

test('every message has a name, a title, a summary and a named payload', (t) => {
  const { components } = JSON.parse(JSON.stringify(asyncApiDocument(MARKET)))
  const titles = new Set<string>()
  for (const [name, message] of Object.entries(components.messages as Record<string, Message>)) {
    t.is(message.name, name)
    t.true(message.summary.length > 10, name)
    const kind = name in REQUESTS ? 'Request' : 'Frame'
    t.is(message.payload.$ref, `#/components/schemas/${message.title}${kind}`)
    t.true(`${message.title}${kind}` in components.schemas, name)
    titles.add(message.title)
  }
  t.is(titles.size, Object.keys(REQUESTS).length + Object.keys(FRAMES).length)
})

test('the document is clean by the linter of Spectral', async (t) => {
  const spectral = new Spectral({} as IConstructorOpts)
  spectral.setRuleset({
    extends: [[rulesets.asyncapi as never, 'recommended']],
    // The document cannot know the mail of those who run the installation.
    rules: { 'asyncapi-info-contact-properties': 'off' },
  })
  const problems = await spectral.run(JSON.stringify(asyncApiDocument(MARKET)))
  t.deepEqual(
    problems.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`),
    [],
  )
})
