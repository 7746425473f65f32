/** A Token's fields in protobuf (proto/swaptide/v1/event.proto, message Token). */
import type { Token } from '../../domain/events/token.ts'
import { type FieldTable, readFields, type WireReader, type WireWriter } from './protobuf.ts'

export function writeToken(to: WireWriter, token: Token): void {
  to.ascii(1, token.tokenAddress)
  to.integer(2, token.slot)
  if (token.creator !== undefined) to.ascii(3, token.creator)
  if (token.decimals !== undefined) to.optionalInteger(4, token.decimals)
  if (token.symbol !== undefined) to.text(5, token.symbol)
  if (token.name !== undefined) to.text(6, token.name)
  if (token.supply !== undefined) to.optionalInteger(7, token.supply)
  if (token.sector !== undefined) to.text(8, token.sector)
}

const TOKEN_FIELDS: FieldTable<Token> = [
  undefined,
  [
    2,
    (r, token) => {
      token.tokenAddress = r.ascii()
    },
  ],
  [
    0,
    (r, token) => {
      token.slot = r.safe()
    },
  ],
  [
    2,
    (r, token) => {
      token.creator = r.ascii()
    },
  ],
  [
    0,
    (r, token) => {
      token.decimals = r.safe()
    },
  ],
  [
    2,
    (r, token) => {
      token.symbol = r.text()
    },
  ],
  [
    2,
    (r, token) => {
      token.name = r.text()
    },
  ],
  [
    0,
    (r, token) => {
      token.supply = r.uint64()
    },
  ],
  [
    2,
    (r, token) => {
      token.sector = r.text()
    },
  ],
]

export const readToken = (reader: WireReader): Token =>
  readFields(reader, { tokenAddress: '', slot: 0 }, TOKEN_FIELDS)
