/**
 * Generates the tables of protobuf tags from the .proto files. The output is checked in (`npm run generate`).
 */
import { fileURLToPath } from 'node:url'
import protobuf from 'protobufjs'

type TagTable = {
  /** Generated file, relative to the root of the project. */
  file: string
  /** Relative to this folder. */
  protos: readonly string[]
  /** The name in the header of the file. */
  origin: string
  namespace: string
  /** Messages that are read or written by hand-written code; the gRPC library handles all others. */
  messages: readonly string[]
}

export const TAG_TABLES: readonly TagTable[] = [
  {
    file: 'streams/codec/tags.ts',
    protos: ['swaptide/v1/event.proto', 'swaptide/v1/swap_stream.proto'],
    origin: 'proto/swaptide/v1/*.proto',
    namespace: 'swaptide.v1',
    messages: [
      'Swap',
      'PoolEvent',
      'Token',
      'SlotRetraction',
      'EventBatch',
      'FeedBatch',
      'SubscribeResponse',
      'Retraction',
      'SwapBatch',
      'StreamedSwap',
    ],
  },
  {
    file: 'chain/forms/geyser/tags.ts',
    protos: ['yellowstone/geyser.proto'],
    origin: 'proto/yellowstone/geyser.proto',
    namespace: 'geyser',
    messages: [
      'SubscribeRequest',
      'SubscribeRequestFilterSlots',
      'SubscribeRequestFilterTransactions',
      'SubscribeRequestPing',
      'SubscribeUpdate',
      'SubscribeUpdateSlot',
      'SubscribeUpdateTransaction',
      'SubscribeUpdateTransactionInfo',
      'SubscribeUpdateTransactionStatus',
      'SubscribeUpdateBlockMeta',
      'Transaction',
      'Message',
      'MessageHeader',
      'TransactionStatusMeta',
      'InnerInstructions',
      'InnerInstruction',
      'TokenBalance',
      'UiTokenAmount',
      'UnixTimestamp',
    ],
  },
]

const LENGTH_DELIMITED = 2
const VARINT = 0

/** The source text of a table. */
export function tagsSource({ protos, origin, namespace, messages }: TagTable): string {
  const root = new protobuf.Root()
  for (const file of protos) root.loadSync(pathOf(file))
  const tables = messages.map((name) => tableOf(root.lookupType(`${namespace}.${name}`)))
  return headerOf(origin) + tables.join('')
}

const headerOf = (origin: string): string => `/**
 * Tags of protobuf fields (number << 3 | wire type), by message and field.
 * Generated from ${origin} by "npm run generate": do not edit.
 */
`

function tableOf(message: protobuf.Type): string {
  const constant = message.name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
  const lines = message.fieldsArray.map((field) => `  ${field.name}: ${tagOf(field.resolve())},\n`)
  return `\nexport const ${constant} = {\n${lines.join('')}} as const\n`
}

function tagOf(field: protobuf.Field): number {
  const isMessage = field.resolvedType instanceof protobuf.Type
  const isEnum = field.resolvedType instanceof protobuf.Enum
  const scalars: Readonly<Record<string, number>> = protobuf.types.basic
  const wireType = isMessage ? LENGTH_DELIMITED : isEnum ? VARINT : scalars[field.type]
  if (wireType === undefined)
    throw new Error(`field "${field.fullName}": unknown type "${field.type}"`)
  return ((field.id << 3) | wireType) >>> 0
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url))
}
