/**
 * An update of a Yellowstone stream that was printed as JSON, as the protobuf codec delivers it: names in camel case, and
 * bytes for signatures, keys, accounts and payloads. Pure.
 *
 * Printers differ in names (`account_keys`), in 64-bit numbers (`{low, high}`) and in bytes: base58, base64, lists of
 * numbers, `{"type": "Buffer", "data": [...]}`, `{"0": 1, "1": 2}`. A text may be of base58 and of base64 alike; which one
 * it is follows from the signature of its transaction, which has 64 bytes in one of them only.
 */
import { decodeBase58, isSignature } from '../../../domain/numbers/base58.ts'
import { isObject } from '../../../domain/text/exact-json.ts'
import { type Json, listOf, objectOf } from '../../transaction/parts.ts'

/** Deeper values are left as they are. */
const DEPTH_MAX = 32

/** The value with names in camel case, 64-bit numbers in digits and objects of bytes as bytes. */
export function unprinted(value: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX) return value
  if (Array.isArray(value)) return value.map((each) => unprinted(each, depth + 1))
  if (!isObject(value)) return value
  const known = bytesOfObject(value) ?? digitsOfLong(value)
  if (known !== undefined) return known
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [camelCase(name), unprinted(each, depth + 1)]),
  )
}

const camelCase = (name: string): string =>
  name.includes('_') ? name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase()) : name

/** Bytes of a Buffer or a Uint8Array as JSON.stringify prints them. */
function bytesOfObject(value: Json): Uint8Array | undefined {
  if (value.type === 'Buffer') return bytesOfList(value.data)
  return '0' in value ? bytesOfList(Object.values(value)) : undefined
}

function bytesOfList(value: unknown): Uint8Array | undefined {
  return Array.isArray(value) && value.every(isByte) ? Uint8Array.from(value) : undefined
}

const isByte = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255

/** A 64-bit number as protobuf.js holds it, with both halves signed. */
function digitsOfLong({ low, high, unsigned }: Json): string | undefined {
  if (!Number.isInteger(low) || !Number.isInteger(high) || typeof unsigned !== 'boolean') {
    return undefined
  }
  const bits =
    (BigInt.asUintN(32, BigInt(high as number)) << 32n) | BigInt.asUintN(32, BigInt(low as number))
  return String(unsigned ? bits : BigInt.asIntN(64, bits))
}

type Encoding = 'base58' | 'base64'

/** The transaction of an update with its bytes read; undefined where one of them cannot be read. */
export function withBytes(entry: Json): Json | undefined {
  const transaction = objectOf(entry.transaction)
  const message = objectOf(transaction.message)
  const meta = objectOf(entry.meta)
  const first = isGiven(entry.signature) ? entry.signature : listOf(transaction.signatures)[0]
  const reader = new BytesReader(encodingOf(first))
  const read = {
    ...entry,
    signature: reader.bytes(first),
    transaction: {
      ...transaction,
      message: {
        ...message,
        accountKeys: reader.list(message.accountKeys),
        instructions: reader.instructions(message.instructions),
      },
    },
    ...(isObject(entry.meta) ? { meta: { ...meta, ...reader.resultOf(meta) } } : {}),
  }
  return reader.isBroken ? undefined : read
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

/** Undefined where the signature is no text, or none of 64 bytes. */
function encodingOf(signature: unknown): Encoding | undefined {
  if (typeof signature !== 'string') return undefined
  if (isSignature(signature)) return 'base58'
  return fromBase64(signature)?.length === 64 ? 'base64' : undefined
}

function fromBase64(text: string): Uint8Array | undefined {
  // The alphabet for URLs too.
  return /^[\w+/-]*={0,2}$/.test(text) ? new Uint8Array(Buffer.from(text, 'base64')) : undefined
}

/** Characters of the longest instruction, as in decoder/transaction.ts. */
const TEXT_LENGTH_MAX = 16_384

class BytesReader {
  isBroken = false
  readonly #encoding: Encoding | undefined

  constructor(encoding: Encoding | undefined) {
    this.#encoding = encoding
  }

  /** Empty, and the transaction broken, for anything else. */
  bytes(value: unknown): Uint8Array {
    const bytes = this.#read(value)
    if (bytes === undefined) this.isBroken = true
    return bytes ?? NO_BYTES
  }

  list(value: unknown): Uint8Array[] {
    if (value !== undefined && !Array.isArray(value)) this.isBroken = true
    return listOf(value).map((each) => this.bytes(each))
  }

  /** Printers leave out empty bytes. */
  instructions(value: unknown): Json[] {
    if (value !== undefined && !Array.isArray(value)) this.isBroken = true
    return listOf(value).map((each) => {
      const { accounts = NO_BYTES, data = NO_BYTES, ...rest } = objectOf(each)
      return { ...rest, accounts: this.bytes(accounts), data: this.bytes(data) }
    })
  }

  resultOf(meta: Json): Json {
    const { innerInstructions, loadedWritableAddresses, loadedReadonlyAddresses } = meta
    return {
      ...(Array.isArray(innerInstructions)
        ? {
            innerInstructions: innerInstructions.map((group) => {
              const { instructions, ...rest } = objectOf(group)
              return { ...rest, instructions: this.instructions(instructions) }
            }),
          }
        : {}),
      loadedWritableAddresses: this.list(loadedWritableAddresses),
      loadedReadonlyAddresses: this.list(loadedReadonlyAddresses),
    }
  }

  #read(value: unknown): Uint8Array | undefined {
    if (value instanceof Uint8Array) return value
    if (typeof value !== 'string') {
      return isObject(value) && Object.keys(value).length === 0 ? NO_BYTES : bytesOfList(value)
    }
    if (value === '') return NO_BYTES
    if (this.#encoding === 'base58') return decodeBase58(value, TEXT_LENGTH_MAX)
    return this.#encoding === 'base64' ? fromBase64(value) : undefined
  }
}

const NO_BYTES = new Uint8Array(0)
