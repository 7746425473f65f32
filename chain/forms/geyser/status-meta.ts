/**
 * The result of a transaction (TransactionStatusMeta), read from its protobuf bytes: a part of the updates of a Yellowstone
 * stream, and the metadata of a transaction in a CAR file. Pure.
 *
 * Its first level is read at once, lists when the decoder needs them. Broken bytes throw WireError in both.
 */
import { type TextBuffer, WireReader } from '../../../streams/codec/protobuf.ts'
import { hasNestedCall } from '../../transaction/missing-part.ts'
import type { Json } from '../../transaction/parts.ts'
import type { ChainInstruction, ResultPart, TokenBalance } from '../../transaction/transaction.ts'
import { tokenBalancesOf } from '../balances.ts'
import { WireBalance } from './balance.ts'
import { type Range, rangeOf, readFields } from './fields.ts'
import { WireInstruction } from './instruction.ts'
import { INNER_INSTRUCTIONS, TRANSACTION_STATUS_META } from './tags.ts'

export class StatusMeta {
  readonly #reader: WireReader
  readonly #outline: Outline
  /** Keys that lookup tables loaded, where they lie: the writable ones, then the readonly ones. */
  readonly loadedKeys: readonly Range[]
  #balances: ReadonlyMap<number, TokenBalance> | undefined

  /** `range`: where the message lies in the bytes of the reader. Throws WireError, as do its parts. */
  constructor(reader: WireReader, range: Range) {
    this.#reader = reader
    this.#outline = readOutline(reader, range)
    this.loadedKeys = [...this.#outline.writable, ...this.#outline.readonly]
  }

  static read(bytes: Uint8Array): StatusMeta {
    return new StatusMeta(new WireReader(bytes), [0, bytes.length])
  }

  get hasFailed(): boolean {
    return this.#outline.hasFailed
  }

  get bytes(): TextBuffer {
    return this.#reader.bytes
  }

  /** Outer instructions, each followed by its inner ones. */
  withInner(outerInstructions: readonly ChainInstruction[]): readonly ChainInstruction[] {
    const inner = this.#innerRanges()
    if (inner.size === 0) return outerInstructions
    const all: ChainInstruction[] = []
    for (const [outer, each] of outerInstructions.entries()) {
      all.push(each)
      for (const nested of inner.get(outer) ?? []) {
        all.push(new WireInstruction(this.#reader, nested, outer, 0))
      }
    }
    return all
  }

  #innerRanges(): ReadonlyMap<number, readonly Range[]> {
    const reader = this.#reader
    const inner = new Map<number, Range[]>()
    for (const range of this.#outline.innerInstructions) {
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
    return inner
  }

  get logs(): readonly string[] | undefined {
    const { logs, hasNoLogs } = this.#outline
    return hasNoLogs ? undefined : logs.map((range) => logLine(this.#reader.bytes, range))
  }

  get tokenBalances(): ReadonlyMap<number, TokenBalance> {
    const { preTokenBalances, postTokenBalances } = this.#outline
    const read = (range: Range): Json => new WireBalance(this.#reader, range)
    this.#balances ??= tokenBalancesOf({
      preTokenBalances: preTokenBalances.map(read),
      postTokenBalances: postTokenBalances.map(read),
    })
    return this.#balances
  }

  /** Whether it has neither a log line nor an inner instruction. */
  get isBare(): boolean {
    return this.#outline.innerInstructions.length === 0 && this.#outline.logs.length === 0
  }

  /** Protobuf lists are never absent: two have a flag. */
  lacks(part: ResultPart): boolean {
    const { innerInstructions, hasNoInner, hasNoLogs } = this.#outline
    if (part === 'logMessages') return hasNoLogs
    if (part !== 'innerInstructions') return false
    return hasNoInner || (innerInstructions.length === 0 && hasNestedCall(this.logs))
  }
}

/** The first level of the message. */
type Outline = {
  hasFailed: boolean
  readonly innerInstructions: Range[]
  hasNoInner: boolean
  readonly logs: Range[]
  hasNoLogs: boolean
  readonly preTokenBalances: Range[]
  readonly postTokenBalances: Range[]
  readonly writable: Range[]
  readonly readonly: Range[]
}

function readOutline(reader: WireReader, meta: Range): Outline {
  const outline: Outline = {
    hasFailed: false,
    innerInstructions: [],
    hasNoInner: false,
    logs: [],
    hasNoLogs: false,
    preTokenBalances: [],
    postTokenBalances: [],
    writable: [],
    readonly: [],
  }
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
        return outline.writable.push(rangeOf(reader)) > 0
      case TRANSACTION_STATUS_META.loadedReadonlyAddresses:
        return outline.readonly.push(rangeOf(reader)) > 0
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
  return outline
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
