/** Truncates a client's text for use in an error message. Pure. */

/** Maximum characters of a rejected value in an error message. */
const SHOWN_LENGTH_MAX = 100

/** Cuts a long text; never within a surrogate pair, because gRPC cannot carry half of a character. */
export function cut(text: string, length = SHOWN_LENGTH_MAX): string {
  const shown = text.length > length ? `${text.slice(0, length)}...` : text
  return shown.toWellFormed()
}
