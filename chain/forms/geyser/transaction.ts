/**
 * A transaction update of a Yellowstone stream, read from its bytes. Pure.
 *
 * Parts are read when the decoder first needs them: a block has a hundred thousand keys and log lines, of which it
 * needs few. Broken bytes therefore throw WireError while the block is decoded; the source then fetches the slot.
 */
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { type TextBuffer, WireReader } from '../../../streams/codec/protobuf.ts'
import { hasNestedCall } from '../../transaction/missing-part.ts'
import type { Json } from '../../transaction/parts.ts'
import type {
  ChainInstruction,
  ChainTransaction,
  ResultPart,
  TokenBalance,
} from '../../transaction/transaction.ts'
import { tokenBalancesOf } from '../balances.ts'
import { keyTextAt } from '../key-texts.ts'
import { WireBalance } from './balance.ts'
import { NOWHERE, type Range, rangeOf, readFields } from './fields.ts'
import { WireInstruction } from './instruction.ts'
import {
  INNER_INSTRUCTIONS,
  MESSAGE,
  MESSAGE_HEADER,
  SUBSCRIBE_UPDATE_TRANSACTION_INFO,
  TRANSACTION,
  TRANSACTION_STATUS_META,
} from './tags.ts'

export class GeyserTransaction implements ChainTransaction {
  readonly index: number
  readonly signatureBytes: Uint8Array
  /** Whether the server sent the transaction with its result. */
  readonly hasResult: boolean
  readonly #reader: WireReader
  readonly #transaction: Range
  readonly #meta: Range
  readonly #keyTexts: (string | undefined)[] = []
  #signature: string | undefined
  #outline: Outline | undefined
  #instructions: readonly ChainInstruction[] | undefined
  #balances: ReadonlyMap<number, TokenBalance> | undefined

  /** The bytes of a SubscribeUpdateTransactionInfo. Throws WireError. */
  constructor(bytes: Uint8Array) {
    const reader = new WireReader(bytes)
    let index = 0
    let signature = NOWHERE
    let transaction = NOWHERE
    let meta: Range | undefined
    readFields(reader, [0, bytes.length], (tag) => {
      if (tag === SUBSCRIBE_UPDATE_TRANSACTION_INFO.signature) signature = rangeOf(reader)
      else if (tag === SUBSCRIBE_UPDATE_TRANSACTION_INFO.transaction) transaction = rangeOf(reader)
      else if (tag === SUBSCRIBE_UPDATE_TRANSACTION_INFO.meta) meta = rangeOf(reader)
      else if (tag === SUBSCRIBE_UPDATE_TRANSACTION_INFO.index) index = reader.safe()
      else return false
      return true
    })
    this.#reader = reader
    this.#transaction = transaction
    this.#meta = meta ?? NOWHERE
    this.index = index
    this.signatureBytes = bytes.subarray(...signature)
    this.hasResult = meta !== undefined && this.signatureBytes.length > 0
  }

  get byteLength(): number {
    return this.#reader.bytes.length
  }

  get signature(): string {
    this.#signature ??= encodeBase58(this.signatureBytes)
    return this.#signature
  }

  get hasFailed(): boolean {
    return this.#read().hasFailed
  }

  get signerCount(): number {
    return this.#read().signerCount
  }

  get keyCount(): number {
    return this.#read().keys.length
  }

  key(index: number): string {
    const { keys } = this.#read()
    let text = this.#keyTexts[index]
    if (text === undefined) {
      text = keyTextAt(this.#reader.bytes, ...(keys[index] ?? NOWHERE))
      this.#keyTexts[index] = text
    }
    return text
  }

  get programs(): ReadonlySet<number> {
    return new Set(this.instructions.map(({ program }) => program))
  }

  get instructions(): readonly ChainInstruction[] {
    this.#instructions ??= readInstructions(this.#reader, this.#read())
    return this.#instructions
  }

  get logs(): readonly string[] | undefined {
    const { logs, hasNoLogs } = this.#read()
    return hasNoLogs ? undefined : logs.map((range) => logLine(this.#reader.bytes, range))
  }

  get tokenBalances(): ReadonlyMap<number, TokenBalance> {
    const { preTokenBalances, postTokenBalances } = this.#read()
    const read = (range: Range): Json => new WireBalance(this.#reader, range)
    this.#balances ??= tokenBalancesOf({
      preTokenBalances: preTokenBalances.map(read),
      postTokenBalances: postTokenBalances.map(read),
    })
    return this.#balances
  }

  /** Protobuf lists are never absent: two have a flag. */
  lacks(part: ResultPart): boolean {
    const { innerInstructions, hasNoInner, hasNoLogs } = this.#read()
    if (part === 'logMessages') return hasNoLogs
    if (part !== 'innerInstructions') return false
    return hasNoInner || (innerInstructions.length === 0 && hasNestedCall(this.logs))
  }

  #read(): Outline {
    this.#outline ??= readOutline(this.#reader, this.#transaction, this.#meta)
    return this.#outline
  }
}

const LOG_PREFIX = Buffer.from('Program log: ')
const UNITS = Buffer.from(' compute units')
const RAY = 'r'.charCodeAt(0)

/** A log line; without the text where a program wrote it that no venue's reader reads, and '' for units consumed. */
function logLine(bytes: TextBuffer, [start, end]: Range): string {
  const at = start + LOG_PREFIX.length
  if (isAt(bytes, start, LOG_PREFIX)) {
    if (bytes[at] !== RAY || at >= end) return 'Program log: '
  } else if (end - UNITS.length > start && isAt(bytes, end - UNITS.length, UNITS)) return ''
  return bytes.utf8Slice(start, end)
}

function isAt(bytes: Uint8Array, start: number, expected: Uint8Array): boolean {
  for (let at = 0; at < expected.length; at++) {
    if (bytes[start + at] !== expected[at]) return false
  }
  return true
}

/** First level of the message and of the result. */
type Outline = {
  signerCount: number
  hasFailed: boolean
  /** Static keys, then the loaded writable and the loaded readonly ones. */
  readonly keys: Range[]
  readonly instructions: Range[]
  readonly innerInstructions: Range[]
  hasNoInner: boolean
  readonly logs: Range[]
  hasNoLogs: boolean
  readonly preTokenBalances: Range[]
  readonly postTokenBalances: Range[]
}

function readOutline(reader: WireReader, transaction: Range, meta: Range): Outline {
  const outline: Outline = {
    signerCount: 1,
    hasFailed: false,
    keys: [],
    instructions: [],
    innerInstructions: [],
    hasNoInner: false,
    logs: [],
    hasNoLogs: false,
    preTokenBalances: [],
    postTokenBalances: [],
  }
  let message = NOWHERE
  readFields(reader, transaction, (tag) => {
    if (tag !== TRANSACTION.message) return false
    message = rangeOf(reader)
    return true
  })
  readMessage(reader, message, outline)
  readMeta(reader, meta, outline)
  return outline
}

function readMessage(reader: WireReader, message: Range, outline: Outline): void {
  let header: Range | undefined
  readFields(reader, message, (tag) => {
    if (tag === MESSAGE.header) header = rangeOf(reader)
    else if (tag === MESSAGE.accountKeys) outline.keys.push(rangeOf(reader))
    else if (tag === MESSAGE.instructions) outline.instructions.push(rangeOf(reader))
    else return false
    return true
  })
  readFields(reader, header ?? NOWHERE, (tag) => {
    if (tag !== MESSAGE_HEADER.numRequiredSignatures) return false
    outline.signerCount = reader.safe()
    return true
  })
}

function readMeta(reader: WireReader, meta: Range, outline: Outline): void {
  const writable: Range[] = []
  const readonly: Range[] = []
  readFields(reader, meta, (tag) => {
    switch (tag) {
      case TRANSACTION_STATUS_META.err:
        outline.hasFailed = true
        return false
      case TRANSACTION_STATUS_META.innerInstructions:
        return outline.innerInstructions.push(rangeOf(reader)) > 0
      case TRANSACTION_STATUS_META.logMessages:
        return outline.logs.push(rangeOf(reader)) > 0
      case TRANSACTION_STATUS_META.preTokenBalances:
        return outline.preTokenBalances.push(rangeOf(reader)) > 0
      case TRANSACTION_STATUS_META.postTokenBalances:
        return outline.postTokenBalances.push(rangeOf(reader)) > 0
      case TRANSACTION_STATUS_META.loadedWritableAddresses:
        return writable.push(rangeOf(reader)) > 0
      case TRANSACTION_STATUS_META.loadedReadonlyAddresses:
        return readonly.push(rangeOf(reader)) > 0
      case TRANSACTION_STATUS_META.innerInstructionsNone:
        outline.hasNoInner = reader.safe() !== 0
        return true
      case TRANSACTION_STATUS_META.logMessagesNone:
        outline.hasNoLogs = reader.safe() !== 0
        return true
      default:
        return false
    }
  })
  outline.keys.push(...writable, ...readonly)
}

function readInstructions(
  reader: WireReader,
  { instructions, innerInstructions }: Outline,
): readonly ChainInstruction[] {
  const inner = new Map<number, Range[]>()
  for (const range of innerInstructions) {
    const group: Range[] = []
    let outer = 0
    readFields(reader, range, (tag) => {
      if (tag === INNER_INSTRUCTIONS.index) outer = reader.safe()
      else if (tag === INNER_INSTRUCTIONS.instructions) group.push(rangeOf(reader))
      else return false
      return true
    })
    inner.set(outer, group)
  }
  const all: ChainInstruction[] = []
  for (const [outer, range] of instructions.entries()) {
    all.push(new WireInstruction(reader, range, outer, 1))
    for (const nested of inner.get(outer) ?? []) {
      all.push(new WireInstruction(reader, nested, outer, 0))
    }
  }
  return all
}
