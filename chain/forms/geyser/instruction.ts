/**
 * An instruction of a Yellowstone transaction, read from its bytes. Pure. Outer and inner instructions have the same
 * tags; inner ones may have their height.
 */
import type { WireReader } from '../../../streams/codec/protobuf.ts'
import type { ChainInstruction } from '../../transaction/transaction.ts'
import { NOWHERE, type Range, rangeOf, readFields } from './fields.ts'
import { INNER_INSTRUCTION } from './tags.ts'

export class WireInstruction implements ChainInstruction {
  readonly program: number
  readonly outer: number
  readonly height: number
  readonly #bytes: Uint8Array
  readonly #accounts: Range
  readonly #payload: Range
  #accountBytes: Uint8Array | undefined
  #payloadBytes: Uint8Array | undefined

  /** `height`: of an instruction without one of its own. Throws WireError. */
  constructor(reader: WireReader, range: Range, outer: number, height: number) {
    let program = 0
    let reportedHeight = height
    let accounts = NOWHERE
    let payload = NOWHERE
    readFields(reader, range, (tag) => {
      if (tag === INNER_INSTRUCTION.programIdIndex) program = reader.safe()
      else if (tag === INNER_INSTRUCTION.accounts) accounts = rangeOf(reader)
      else if (tag === INNER_INSTRUCTION.data) payload = rangeOf(reader)
      else if (tag === INNER_INSTRUCTION.stackHeight) reportedHeight = reader.safe()
      else return false
      return true
    })
    this.program = program
    this.outer = outer
    this.height = reportedHeight
    this.#bytes = reader.bytes
    this.#accounts = accounts
    this.#payload = payload
  }

  get accounts(): Uint8Array {
    this.#accountBytes ??= this.#bytes.subarray(...this.#accounts)
    return this.#accountBytes
  }

  get payload(): Uint8Array {
    this.#payloadBytes ??= this.#bytes.subarray(...this.#payload)
    return this.#payloadBytes
  }
}
