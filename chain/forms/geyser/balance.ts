/**
 * A token balance of a Yellowstone transaction, read from its bytes when the decoder first looks at it. Pure.
 *
 * Its fields have the names that the decoder's forms expect, so that balances before and after are joined in one place.
 */
import type { WireReader } from '../../../streams/codec/protobuf.ts'
import type { Json } from '../../transaction/parts.ts'
import { NOWHERE, type Range, rangeOf, readFields } from './fields.ts'
import { TOKEN_BALANCE, UI_TOKEN_AMOUNT } from './tags.ts'

export class WireBalance {
  [name: string]: unknown
  readonly accountIndex: number
  readonly #reader: WireReader
  readonly #range: Range
  #read: Fields | undefined

  /** Throws WireError, as do its fields. */
  constructor(reader: WireReader, range: Range) {
    let accountIndex = 0
    readFields(reader, range, (tag) => {
      if (tag !== TOKEN_BALANCE.accountIndex) return false
      accountIndex = reader.safe()
      return true
    })
    this.accountIndex = accountIndex
    this.#reader = reader
    this.#range = range
  }

  get mint(): string {
    return this.#fields().mint
  }

  get owner(): string {
    return this.#fields().owner
  }

  get uiTokenAmount(): Json {
    return this.#fields().uiTokenAmount
  }

  #fields(): Fields {
    this.#read ??= readBalance(this.#reader, this.#range)
    return this.#read
  }
}

type Fields = {
  readonly mint: string
  readonly owner: string
  readonly uiTokenAmount: Json
}

function readBalance(reader: WireReader, range: Range): Fields {
  let [mint, owner, shown] = ['', '', NOWHERE]
  readFields(reader, range, (tag) => {
    if (tag === TOKEN_BALANCE.mint) mint = reader.ascii()
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
  return { mint, owner, uiTokenAmount: { decimals, amount: baseUnits } }
}
