/**
 * Scalar for integers that may exceed the exact range of a double. Pure.
 *
 * Written as an exact JSON integer, as REST writes it. Input is an int64, parsed from its digits, in the query or
 * in the variables, where it may also be a string.
 */
import { GraphQLError, GraphQLScalarType, Kind, print } from 'graphql'
import { INT64_MAX, INT64_MIN, type Int64, int64 } from '../../domain/amount.ts'
import type { IntegerForm } from '../serving/integer-form.ts'

export const int64Scalar = (form: IntegerForm) =>
  new GraphQLScalarType<Int64, Int64 | string>({
    name: 'Int64',
    description:
      'A whole number of 64 bits, written as a JSON integer digit for digit: read it with a parser that ' +
      'is exact, or send int64=string for texts of digits. Sums of such numbers may be larger. As an argument also a text ' +
      'of digits.',
    serialize: form === 'number' ? whole : (value) => whole(value).toString(),
    parseValue: (value) => read(String(value), isWhole(value) || typeof value === 'string'),
    parseLiteral: (node) => {
      const isNumber = node.kind === Kind.INT || node.kind === Kind.STRING
      return read(isNumber ? node.value : print(node), isNumber)
    },
  })

function isWhole(value: unknown): value is Int64 {
  return typeof value === 'bigint' || Number.isSafeInteger(value)
}

function whole(value: unknown): Int64 {
  if (isWhole(value)) return value
  throw new TypeError(`"${String(value)}": expected a whole number`)
}

function read(text: string, isRightKind: boolean): Int64 {
  const exact = isRightKind && /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined
  if (exact === undefined || exact > INT64_MAX || exact < INT64_MIN) {
    throw new GraphQLError(`"${text}": expected an integer of ${INT64_MIN} to ${INT64_MAX}`)
  }
  return int64(exact)
}
