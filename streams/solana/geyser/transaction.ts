/**
 * A transaction update of a Yellowstone stream, read from its bytes. Pure.
 *
 * Parts are read when the decoder first needs them: a block has a hundred thousand keys and log lines, of which it
 * needs few. Broken bytes therefore throw WireError while the block is decoded; the source then fetches the slot.
 */
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { WireReader } from '../../codec/protobuf.ts'
import { tokenBalancesOf } from '../decoder/forms/balances.ts'
import type { Json } from '../decoder/forms/parts.ts'
import type { ChainInstruction, ChainTransaction, TokenBalance } from '../decoder/transaction.ts'
import { NOWHERE, type Range, rangeOf, readFields } from './fields.ts'
import { WireInstruction } from './instruction.ts'
import { keyTextAt } from './key-texts.ts'
import {
  INNER_INSTRUCTIONS,
  MESSAGE,
  MESSAGE_HEADER,
  SUBSCRIBE_UPDATE_TRANSACTION_INFO,
  TOKEN_BALANCE,
  TRANSACTION,
  TRANSACTION_STATUS_META,
  UI_TOKEN_AMOUNT,
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
    return hasNoLogs ? undefined : logs.map((range) => this.#reader.bytes.utf8Slice(...range))
  }

  get tokenBalances(): ReadonlyMap<number, TokenBalance> {
    const { preTokenBalances, postTokenBalances } = this.#read()
    const read = (range: Range): Json => readBalance(this.#reader, range)
    this.#balances ??= tokenBalancesOf({
      preTokenBalances: preTokenBalances.map(read),
      postTokenBalances: postTokenBalances.map(read),
    })
    return this.#balances
  }

  #read(): Outline {
    this.#outline ??= readOutline(this.#reader, this.#transaction, this.#meta)
    return this.#outline
  }
}

/** First level of the message and of the result. */
type Outline = {
  signerCount: number
  hasFailed: boolean
  /** Static keys, then the loaded writable and the loaded readonly ones. */
  readonly keys: Range[]
  readonly instructions: Range[]
  readonly innerInstructions: Range[]
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

/** As the decoder's forms have it, so that balances before and after are joined in one place. */
function readBalance(reader: WireReader, range: Range): Json {
  let [accountIndex, mint, owner, shown] = [0, '', '', NOWHERE]
  readFields(reader, range, (tag) => {
    if (tag === TOKEN_BALANCE.accountIndex) accountIndex = reader.safe()
    else if (tag === TOKEN_BALANCE.mint) mint = reader.ascii()
    else if (tag === TOKEN_BALANCE.owner) owner = reader.ascii()
    else if (tag === TOKEN_BALANCE.uiTokenAmount) shown = rangeOf(reader)
    else return false
    return true
  })
  let [decimals, baseUnits] = [0, '']
  readFields(reader, shown, (tag) => {
    if (tag === UI_TOKEN_AMOUNT.decimals) decimals = reader.safe()
    else if (tag === UI_TOKEN_AMOUNT.amount) baseUnits = reader.ascii()
    else return false
    return true
  })
  return { accountIndex, mint, owner, uiTokenAmount: { decimals, amount: baseUnits } }
}
