/** The error of files of chain data, and how texts of a file are quoted in it. Pure. */

/** The message after the file's name: `a.json: not JSON: expected ...`. */
export class UnreadableBlockFile extends Error {
  override name = 'UnreadableBlockFile'
}

export const EXPECTED =
  'expected the answer of getBlock or getTransaction, or a block or transaction update of Geyser'

export const unknownForm = (): UnreadableBlockFile =>
  new UnreadableBlockFile(`not chain data: ${EXPECTED}`)

/** Longer texts are cut. */
const SHOWN_LENGTH_MAX = 300

/** A text of a file between quotes, without control characters for the terminal. */
export function shown(text: string): string {
  const cut = text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}...` : text
  return `"${cut.toWellFormed().replace(/\p{Cc}+/gu, ' ')}"`
}
