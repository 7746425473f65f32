/**
 * Names, symbols and addresses of documents that an account or a provider states of a mint, cleaned before they are stored.
 * Pure. Anyone may write anything there: names are not unique, and none is an instruction.
 *
 * Law: a cleaned text is in NFC, holds no control character, no lone surrogate and no padding, and has a bounded number of
 * characters (code points). Invisible and direction characters stay, and are reported as flags (name-flags.ts).
 */
import { trimName } from './padding.ts'

const NAME_LENGTH_MAX = 32
const SYMBOL_LENGTH_MAX = 10
/** The longest text of a token line. */
const URI_LENGTH_MAX = 200

const CONTROLS = /\p{Cc}/gu

export type TokenTexts = { readonly name?: string; readonly symbol?: string; readonly uri?: string }

/** Texts that are empty after cleaning are left out, and so is a URI that is too long: a part of one is another. */
export function cleanTexts({ name = '', symbol = '', uri = '' }: TokenTexts): TokenTexts {
  const shown = { name: cut(name, NAME_LENGTH_MAX), symbol: cut(symbol, SYMBOL_LENGTH_MAX) }
  const cleanUri = cleaned(uri)
  return {
    ...(shown.name === '' ? {} : { name: shown.name }),
    ...(shown.symbol === '' ? {} : { symbol: shown.symbol }),
    ...(cleanUri === '' || cleanUri.length > URI_LENGTH_MAX ? {} : { uri: cleanUri }),
  }
}

const cleaned = (text: string): string =>
  trimName(text.toWellFormed().replace(CONTROLS, '').normalize('NFC'))

/** Trimmed again: a cut may end in a space. */
function cut(text: string, lengthMax: number): string {
  const whole = cleaned(text)
  return whole.length <= lengthMax ? whole : trimName([...whole].slice(0, lengthMax).join(''))
}
