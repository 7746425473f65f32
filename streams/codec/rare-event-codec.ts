/**
 * PoolEvent, Token and Retraction in protobuf (proto/swaptide/v1/event.proto). They are rare compared with swaps, so a table of
 * fields reads and writes them; swap-codec.ts spells its fields out for speed.
 */
import type { Int64 } from '../../domain/amount.ts'
import type { PoolEvent } from '../../domain/events/pool-event.ts'
import type { Retraction } from '../../domain/events/retraction.ts'
import type { Token } from '../../domain/events/token.ts'
import { type WireReader, type WireWriter, wireTypes, wrongWireType } from './protobuf.ts'
import { POOL_EVENT, SLOT_RETRACTION, TOKEN } from './tags.ts'

/** The methods of WireReader that read each kind of field; `text` may hold any Unicode, `ascii` may not. */
type Kind = 'ascii' | 'text' | 'safe' | 'uint64'
type Kinds<Message> = { readonly [Field in keyof Message]-?: Kind }
type Fields = Record<string, string | Int64 | undefined>

const POOL_EVENT_KINDS: Kinds<PoolEvent> = {
  event: 'ascii',
  signature: 'ascii',
  slot: 'safe',
  timestamp: 'safe',
  pairAddress: 'ascii',
  tokenAddress: 'ascii',
  dex: 'safe',
  blockTxIndex: 'safe',
  ixIndex: 'safe',
  creator: 'ascii',
  fromPair: 'ascii',
  solAmount: 'uint64',
  tokenAmount: 'uint64',
  blockhash: 'ascii',
}

const TOKEN_KINDS: Kinds<Token> = {
  tokenAddress: 'ascii',
  slot: 'safe',
  creator: 'ascii',
  decimals: 'safe',
  symbol: 'text',
  name: 'text',
  supply: 'uint64',
  sector: 'text',
  uri: 'text',
}

const RETRACTION_KINDS: Kinds<Retraction> = { slot: 'safe', blockhash: 'ascii' }

/** Values of the fields that a message always has; fields that are absent here may be absent from a message. */
const NO_POOL_EVENT: Fields = {
  event: '',
  signature: '',
  slot: 0,
  timestamp: 0,
  pairAddress: '',
  tokenAddress: '',
  dex: 0,
  blockTxIndex: 0,
  ixIndex: 0,
}
const NO_TOKEN: Fields = { tokenAddress: '', slot: 0 }
const NO_RETRACTION: Fields = { slot: 0 }

const poolEvents = tableCodec<PoolEvent>(POOL_EVENT, POOL_EVENT_KINDS, NO_POOL_EVENT)
const tokens = tableCodec<Token>(TOKEN, TOKEN_KINDS, NO_TOKEN)
const retractions = tableCodec<Retraction>(SLOT_RETRACTION, RETRACTION_KINDS, NO_RETRACTION)

export const { read: readPoolEvent, write: writePoolEvent } = poolEvents
export const { read: readToken, write: writeToken } = tokens
export const { read: readRetraction, write: writeRetraction } = retractions

function tableCodec<Message extends object>(
  tags: Readonly<Record<keyof Message & string, number>>,
  kinds: Kinds<Message>,
  empty: Fields,
) {
  const types = wireTypes(tags)
  const fields = (Object.keys(kinds) as (keyof Message & string)[]).map((name) => {
    const kind: Kind = kinds[name]
    return { name, tag: tags[name], kind, isOptional: empty[name] === undefined }
  })
  const byTag = new Map(fields.map((field) => [field.tag, field]))
  return {
    /** Reads fields up to the reader's end. Throws WireError. */
    read(reader: WireReader): Message {
      const message = { ...empty }
      while (reader.at < reader.end) {
        const tag = reader.tag()
        const expected = types[tag >>> 3]
        const field = byTag.get(tag)
        if (field !== undefined) message[field.name] = reader[field.kind]()
        else if (expected === undefined) reader.skip(tag & 7)
        else throw wrongWireType(tag, expected)
      }
      return message as Message
    },
    write(to: WireWriter, message: Message): void {
      for (const { name, tag, kind, isOptional } of fields) {
        const value = (message as Fields)[name]
        if (value === undefined) continue
        if (kind === 'ascii' || kind === 'text') to[kind](tag, value as string)
        else if (isOptional) to.optionalInteger(tag, value as Int64)
        else to.integer(tag, value as Int64)
      }
    },
  }
}
