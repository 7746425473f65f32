/**
 * A transaction update of a Yellowstone stream, read from its bytes. Pure.
 *
 * Parts are read when the decoder first needs them: a block has a hundred thousand keys and log lines, of which it
 * needs few. Broken bytes therefore throw WireError while the block is decoded; the source then fetches the slot.
 */
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { WireReader } from '../../../streams/codec/protobuf.ts'
import type {
  ChainInstruction,
  ChainTransaction,
  ResultPart,
  TokenBalance,
} from '../../transaction/transaction.ts'
import { keyTextAt } from '../key-texts.ts'
import { NOWHERE, type Range, rangeOf, readFields } from './fields.ts'
import { WireInstruction } from './instruction.ts'
import { StatusMeta } from './status-meta.ts'
import { MESSAGE, MESSAGE_HEADER, SUBSCRIBE_UPDATE_TRANSACTION_INFO, TRANSACTION } from './tags.ts'

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
    return this.#read().meta.hasFailed
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
    const { instructions, meta } = this.#read()
    this.#instructions ??= meta.withInner(
      instructions.map((range, outer) => new WireInstruction(this.#reader, range, outer, 1)),
    )
    return this.#instructions
  }

  get logs(): readonly string[] | undefined {
    return this.#read().meta.logs
  }

  get tokenBalances(): ReadonlyMap<number, TokenBalance> {
    return this.#read().meta.tokenBalances
  }

  lacks(part: ResultPart): boolean {
    return this.#read().meta.lacks(part)
  }

  #read(): Outline {
    this.#outline ??= readOutline(this.#reader, this.#transaction, this.#meta)
    return this.#outline
  }
}

/** First level of the message, and the result. */
type Outline = {
  signerCount: number
  /** Static keys, then the loaded writable and the loaded readonly ones. */
  readonly keys: Range[]
  readonly instructions: Range[]
  readonly meta: StatusMeta
}

function readOutline(reader: WireReader, transaction: Range, result: Range): Outline {
  const meta = new StatusMeta(reader, result)
  const outline: Outline = { signerCount: 1, keys: [], instructions: [], meta }
  let message = NOWHERE
  readFields(reader, transaction, (tag) => {
    if (tag !== TRANSACTION.message) return false
    message = rangeOf(reader)
    return true
  })
  readMessage(reader, message, outline)
  outline.keys.push(...meta.loadedKeys)
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
