/**
 * Texts of any characters, for properties. Composed of code points here: fast-check's unit `binary` builds a table of
 * all of them, most of a second, as soon as an arbitrary is made.
 */
import fc from 'fast-check'

const CODE_POINT_MAX = 0x10ffff
const isSurrogate = (point: number): boolean => point >= 0xd800 && point <= 0xdfff

const characters = fc
  .oneof(fc.nat(0x7f), fc.nat(0x7ff), fc.nat(0xffff), fc.nat(CODE_POINT_MAX))
  .filter((point) => !isSurrogate(point))
  .map((point) => String.fromCodePoint(point))

/** Texts without lone surrogates, of at most so many characters (default: fast-check's). */
export function anyText(maxLength?: number): fc.Arbitrary<string> {
  return fc.string({ unit: characters, ...(maxLength === undefined ? {} : { maxLength }) })
}
