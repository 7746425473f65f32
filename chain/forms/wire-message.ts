/**
 * A transaction in its wire form, as nodes serve it with encoding base64: the legacy form, version 0, and version 1
 * (SIMD-0385), whose signatures come last. Pure.
 *
 * Reading finds where the parts lie; keys and instructions are made when the decoder needs them.
 */
import { encodeBase58 } from '../../domain/numbers/base58.ts'
import type { ChainInstruction } from '../transaction/transaction.ts'
import type { KeySet } from './key-set.ts'
import { keyTextAt } from './key-texts.ts'

const SIGNATURE_BYTES = 64
const KEY_BYTES = 32
const BLOCKHASH_BYTES = 32
const HEADER_BYTES = 3
/** First byte of a message that has a version; in version 1, of the transaction. */
const VERSION_BIT = 0x80
const VERSION_0 = 0x80
const VERSION_1 = 0x81
/** Version 1: a mask with a bit for each value of 4 bytes that the configuration has. */
const MASK_BYTES = 4
const CONFIG_VALUE_BYTES = 4

export class WireMessage {
  readonly keyCount: number

  readonly #bytes: Buffer
  readonly #parts: Parts

  private constructor(bytes: Buffer, parts: Parts) {
    this.#bytes = bytes
    this.#parts = parts
    this.keyCount = parts.keyCount
  }

  /** Undefined for bytes that are not exactly one transaction. */
  static read(bytes: Buffer): WireMessage | undefined {
    const reader = new PartReader(bytes)
    const parts = bytes[0] === VERSION_1 ? readVersion1(reader) : readEarlier(reader)
    if (parts === undefined || reader.at !== bytes.length) return undefined
    return new WireMessage(bytes, parts)
  }

  /** Base58 of the first signature. */
  get signature(): string {
    const { signatureAt } = this.#parts
    return encodeBase58(this.#bytes.subarray(signatureAt, signatureAt + SIGNATURE_BYTES))
  }

  get signerCount(): number {
    return this.#bytes[this.#parts.headerAt] ?? 0
  }

  /** Base58 of a static key; `index` is below `keyCount`. */
  key(index: number): string {
    const at = this.#parts.keysAt + index * KEY_BYTES
    return keyTextAt(this.#bytes, at, at + KEY_BYTES)
  }

  /** Whether lookup tables load further keys, which the result lists. */
  get hasLookups(): boolean {
    return this.#parts.lookupCount > 0
  }

  /** Whether one of the static keys is in the set. */
  names(keys: KeySet): boolean {
    const { keysAt, keyCount } = this.#parts
    for (let index = 0; index < keyCount; index++) {
      if (keys.has(this.#bytes, keysAt + index * KEY_BYTES)) return true
    }
    return false
  }

  /** Whether the programs of all outer instructions are in the set. */
  runsOnly(keys: KeySet): boolean {
    const { keysAt, keyCount, instructions } = this.#parts
    return instructions.every(({ program }) => {
      return program < keyCount && keys.has(this.#bytes, keysAt + program * KEY_BYTES)
    })
  }

  /** The outer instructions. */
  instructions(): readonly ChainInstruction[] {
    return this.#parts.instructions.map((offsets, outer) => {
      const { program, accountsAt, accountCount, payloadAt, payloadLength } = offsets
      return {
        program,
        accounts: this.#bytes.subarray(accountsAt, accountsAt + accountCount),
        payload: this.#bytes.subarray(payloadAt, payloadAt + payloadLength),
        height: 1,
        outer,
      }
    })
  }

  /** Key index of each outer instruction's program. */
  programs(): number[] {
    return this.#parts.instructions.map(({ program }) => program)
  }
}

type Parts = {
  readonly signatureAt: number
  readonly headerAt: number
  readonly keysAt: number
  readonly keyCount: number
  readonly instructions: readonly InstructionOffsets[]
  readonly lookupCount: number
}

type InstructionOffsets = {
  readonly program: number
  accountsAt: number
  readonly accountCount: number
  payloadAt: number
  readonly payloadLength: number
}

/** Reads past the end yield 0 and leave `at` past the end, where every list ends. */
class PartReader {
  readonly bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  byte(): number {
    return this.bytes[this.at++] ?? 0
  }

  /** A length in at most three groups of seven bits, the least first. */
  length(): number {
    const first = this.byte()
    if (first < 0x80) return first
    const second = this.byte()
    const low = (first & 0x7f) | ((second & 0x7f) << 7)
    return second < 0x80 ? low : low | (this.byte() << 14)
  }

  /** Passes over bytes; returns where they begin. */
  skip(count: number): number {
    const { at } = this
    this.at += count
    return at
  }

  list<Part>(count: number, read: () => Part): Part[] {
    const parts: Part[] = []
    for (let index = 0; index < count && this.at <= this.bytes.length; index++) parts.push(read())
    return parts
  }
}

/** The legacy form and version 0. */
function readEarlier(reader: PartReader): Parts | undefined {
  const signatureCount = reader.length()
  const signatureAt = reader.skip(signatureCount * SIGNATURE_BYTES)
  const first = reader.bytes[reader.at] ?? 0
  const hasVersion = (first & VERSION_BIT) !== 0
  if (signatureCount === 0 || (hasVersion && first !== VERSION_0)) return undefined
  const headerAt = reader.skip(hasVersion ? 1 + HEADER_BYTES : HEADER_BYTES) + (hasVersion ? 1 : 0)
  const keyCount = reader.length()
  const keysAt = reader.skip(keyCount * KEY_BYTES)
  reader.skip(BLOCKHASH_BYTES)
  const instructions = reader.list(reader.length(), () => {
    const program = reader.byte()
    const accountCount = reader.length()
    const accountsAt = reader.skip(accountCount)
    const payloadLength = reader.length()
    return {
      program,
      accountsAt,
      accountCount,
      payloadAt: reader.skip(payloadLength),
      payloadLength,
    }
  })
  // Lookup tables: the addresses that they load are in the result of the transaction.
  const lookupCount = hasVersion ? reader.length() : 0
  reader.list(lookupCount, () => {
    reader.skip(KEY_BYTES)
    reader.skip(reader.length())
    reader.skip(reader.length())
  })
  return { signatureAt, headerAt, keysAt, keyCount, instructions, lookupCount }
}

function readVersion1(reader: PartReader): Parts | undefined {
  const headerAt = reader.skip(1 + HEADER_BYTES) + 1
  const signatureCount = reader.bytes[headerAt] ?? 0
  const maskAt = reader.skip(MASK_BYTES)
  reader.skip(BLOCKHASH_BYTES)
  const instructionCount = reader.byte()
  const keyCount = reader.byte()
  const keysAt = reader.skip(keyCount * KEY_BYTES)
  const mask = reader.bytes.subarray(maskAt, maskAt + MASK_BYTES)
  reader.skip(CONFIG_VALUE_BYTES * mask.reduce((sum, byte) => sum + bitsOf(byte), 0))
  const instructions = reader.list<InstructionOffsets>(instructionCount, () => ({
    program: reader.byte(),
    accountsAt: 0,
    accountCount: reader.byte(),
    payloadAt: 0,
    payloadLength: reader.byte() | (reader.byte() << 8),
  }))
  for (const each of instructions) {
    each.accountsAt = reader.skip(each.accountCount)
    each.payloadAt = reader.skip(each.payloadLength)
  }
  const signatureAt = reader.skip(signatureCount * SIGNATURE_BYTES)
  if (signatureCount === 0) return undefined
  return { signatureAt, headerAt, keysAt, keyCount, instructions, lookupCount: 0 }
}

function bitsOf(byte: number): number {
  let bits = 0
  for (let rest = byte; rest > 0; rest >>= 1) bits += rest & 1
  return bits
}
