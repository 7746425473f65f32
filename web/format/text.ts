/** Texts from the chain: shortened for the eye, never altered. Pure. */

/** The beginning of a text that is longer. */
export function cutAfter(text: string, count: number): string {
  const characters = Array.from(text)
  return characters.length <= count ? text : `${characters.slice(0, count - 1).join('')}…`
}

/** `top10_concentration` as `top10 concentration`. */
export function spaced(name: string): string {
  return name.replaceAll('_', ' ')
}
