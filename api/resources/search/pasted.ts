/**
 * Searched texts as people paste them: the URL of a block explorer, of a chart, of these pages, or a symbol with the "$" of a
 * chat. Pure.
 *
 * No table of sites is needed: each run of letters and digits that is 32 or 64 bytes in base58 is an address or a signature.
 * `/token/<mint>?wallet=<wallet>`, `solana:<wallet>` and `<referrer>_<mint>` are read alike, and those of an unknown site.
 */
import { isAddress, isSignature } from '../../../domain/numbers/base58.ts'

/** The first ones are those that a URL is about; each costs a search. */
const NAMED_MAX = 4
/** A URL may be a parameter of another one, which escapes it once more. */
const UNESCAPED_TIMES = 3
const ESCAPED = /%([0-7][0-9a-f])/gi
const BETWEEN = /[^0-9A-Za-z]+/
const CASHTAG = '$'
const TAGS = /^[$#]+ ?/

/** Whole addresses and signatures in the text, in its order. */
export function namedIn(text: string): string[] {
  let plain = text
  for (let times = 0; times < UNESCAPED_TIMES; times++) {
    plain = plain.replace(ESCAPED, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  const named = plain.split(BETWEEN).filter((each) => isAddress(each) || isSignature(each))
  return [...new Set(named)].slice(0, NAMED_MAX)
}

/** Search keys that a symbol may have: "$wif" and "wif" are the same to people, and each is the symbol of tokens. */
export function keysOf(key: string): string[] {
  const bare = key.replace(TAGS, '')
  if (bare === '') return key === '' ? [] : [key]
  return [...new Set([key, bare, CASHTAG + bare])]
}
