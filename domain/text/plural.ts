/** Nouns that agree with their counts. Pure; English, as all texts are. */

/** (1, 'swap') -> `swap`, (2, 'swap') -> `swaps`. `plural`: of a noun that takes more than an s. */
export function nounOf(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return count === 1 || count === 1n ? noun : plural
}

/** (1, 'swap') -> `1 swap`, (1498, 'swap') -> `1498 swaps` */
export function counted(count: number | bigint, noun: string, plural?: string): string {
  return `${count} ${nounOf(count, noun, plural)}`
}
