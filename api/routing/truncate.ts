/** How a text of a client's is told back to it in a refusal. Pure. */

/** More of a refused value than this helps nobody. */
export const SHOWN_LENGTH_MAX = 100

/** (1, 'stream') -> `1 stream`, (2, 'stream') -> `2 streams` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A text as it is told of, cut where it is long; never with half of a character, which gRPC cannot carry. */
export function cut(text: string, length = SHOWN_LENGTH_MAX): string {
  const shown = text.length > length ? `${text.slice(0, length)}...` : text
  return shown.toWellFormed()
}
