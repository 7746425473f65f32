/**
 * Removes characters around a text that are not part of it. Pure.
 *
 * - Padding of names: on-chain metadata fills symbols and names up with NULs, and people with spaces.
 * - Residue of pasting: an address copied from a page, a chat or a spreadsheet brings line feeds, quotes and
 *   zero-width characters along. No address has any of these, so trimming them is lossless.
 */

const PADDING = String.raw`[\0\s]`
const RESIDUE = String.raw`[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}"'\u0060\u00b4\u2018-\u201f\u00ab\u00bb\u2039\u203a]`

const around = (characters: string): RegExp => new RegExp(`^${characters}+|${characters}+$`, 'gu')

const AROUND_NAME = around(PADDING)
const AROUND_PASTED = around(RESIDUE)

/** A symbol, name or sector without NULs and white space around it. */
export function trimName(text: string): string {
  return text.replace(AROUND_NAME, '')
}

/** A parameter of this JSON Schema format without surrounding characters that are not part of it. */
export function trimGiven(format: string | undefined, text: string): string {
  if (format === 'address' || format === 'signature') return trimPasted(text)
  return format === 'plain-text' ? trimName(text) : text
}

/** An address or signature without white space, control and zero-width characters, and quotes around it. */
export function trimPasted(text: string): string {
  return text.replace(AROUND_PASTED, '')
}
