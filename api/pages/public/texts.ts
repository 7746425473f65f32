/**
 * Texts of public pages that strangers wrote, and their way into HTML and XML. Pure.
 *
 * Anyone names a mint: a name holds any character, and is no markup and no instruction. Law: what leaves here has no control,
 * invisible or direction character, no lone surrogate, a bounded length, and is escaped where it is written.
 */

/** Also what XML 1.0 forbids. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]+/gu
/** Marks beyond these are piled up over the lines around them. */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu
/** The mark of byte order is no space, though `\s` has it. */
const SPACES = /[^\S\ufeff]+/gu
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
/** Characters of a name in a title: longer ones are cut by every service. */
const NAME_LENGTH_MAX = 40
/** UTF-16 units that are looked at, several for a character. */
const READ_LENGTH_MAX = 8 * NAME_LENGTH_MAX

/** A name as a title shows it; undefined where nothing of it can be seen. */
export function seenName(text: string | null | undefined): string | undefined {
  const seen = (text ?? '')
    .slice(0, READ_LENGTH_MAX)
    .toWellFormed()
    .replaceAll(SPACES, ' ')
    .replaceAll(UNSEEN, '')
    .replaceAll('\ufffd', '')
    .replaceAll(PILED_MARKS, '$1')
    .trim()
  const characters = [...seen]
  const cut = characters
    .slice(0, NAME_LENGTH_MAX - 1)
    .join('')
    .trimEnd()
  if (seen === '') return undefined
  return characters.length <= NAME_LENGTH_MAX ? seen : `${cut}…`
}

/** For text and for attributes in quotes, in HTML and XML. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}
