/** Numbers in texts, and nouns that agree with them. Pure; English, as all texts are. */

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** 1498 -> `1,498` */
export function grouped(count: number | bigint): string {
  return WHOLE.format(count)
}

/** (1, 'swap') -> `swap`, (2, 'swap') -> `swaps`. `plural`: of a noun that takes more than an s. */
export function nounOf(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return count === 1 || count === 1n ? noun : plural
}

/** (1, 'swap') -> `1 swap`, (1498, 'swap') -> `1498 swaps` */
export function counted(count: number | bigint, noun: string, plural?: string): string {
  return `${count} ${nounOf(count, noun, plural)}`
}

/** (1, 'swap') -> `1 swap`, (1498, 'swap') -> `1,498 swaps` */
export function countedInGroups(count: number, noun: string): string {
  return `${grouped(count)} ${nounOf(count, noun)}`
}
