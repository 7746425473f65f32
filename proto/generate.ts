/**
 * Generates streams/codec/tags.ts from the .proto files: `npm run generate:tags`. The output is checked in, and
 * test/streams/codec/tags.test.ts fails where it differs from what this generates.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import protobuf from 'protobufjs'

/** Messages that are read or written by hand-written code; the gRPC library handles all others. */
const MESSAGES = [
  'Swap',
  'PoolEvent',
  'Token',
  'EventBatch',
  'FeedBatch',
  'SubscribeResponse',
  'SwapBatch',
  'StreamedSwap',
]

const LENGTH_DELIMITED = 2

const HEADER = `/**
 * Tags of protobuf fields (number << 3 | wire type), by message and field.
 * Generated from proto/swaptide/v1/*.proto by "npm run generate:tags": do not edit.
 */
`

/** The source text of streams/codec/tags.ts. */
export function tagsSource(): string {
  const root = new protobuf.Root()
  for (const file of ['event', 'swap_stream']) root.loadSync(pathOf(`swaptide/v1/${file}.proto`))
  const tables = MESSAGES.map((name) => tableOf(root.lookupType(`swaptide.v1.${name}`)))
  return HEADER + tables.join('')
}

function tableOf(message: protobuf.Type): string {
  const constant = message.name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
  const lines = message.fieldsArray.map((field) => `  ${field.name}: ${tagOf(field.resolve())},\n`)
  return `\nexport const ${constant} = {\n${lines.join('')}} as const\n`
}

function tagOf(field: protobuf.Field): number {
  const isMessage = field.resolvedType instanceof protobuf.Type
  const scalars: Readonly<Record<string, number>> = protobuf.types.basic
  const wireType = isMessage ? LENGTH_DELIMITED : scalars[field.type]
  if (wireType === undefined)
    throw new Error(`field "${field.fullName}": unknown type "${field.type}"`)
  return ((field.id << 3) | wireType) >>> 0
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url))
}

if (import.meta.main) writeFileSync(pathOf('../streams/codec/tags.ts'), tagsSource())
