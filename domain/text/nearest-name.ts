/**
 * The known name that a mistyped one most likely means: for commands, options, parameters, fields and
 * environment variables.
 *
 * Law: no suggestion is better than a wrong one. A name is suggested where it differs only in case and
 * separators (`Token-Address`), by few edits for its length (`tokn_adress`), or where one of the two names
 * contains every part of the other (`token`, `sort_by`) and no other known name does so equally well.
 */

/** Longer words are no slips of the hand, and comparing them would cost. */
const WORD_LENGTH_MAX = 64
/** Letters of a name for each edit that is forgiven. */
const LETTERS_PER_EDIT = 3
const EDITS_MAX = 3
/** A shorter beginning does not identify the name. */
const BEGINNING_LENGTH_MIN = 3

/** One of `known`, as it is written there; null without a near one. */
export function nearestName(word: string, known: readonly string[]): string | null {
  if (word === '' || word.length > WORD_LENGTH_MAX) return null
  return (
    known.find((name) => bare(name) === bare(word)) ??
    byEdits(bare(word), known) ??
    onlyOne(known, (name) => containsParts(partsOf(word), partsOf(name))) ??
    onlyOne(known, (name) => beginsAlike(bare(word), bare(name)))
  )
}

/** Letters and digits only, in lower case: `Token-Address` is `tokenaddress`. */
function bare(name: string): string {
  return partsOf(name).join('')
}

/** `min_price`, `min-price` and `minPrice` are `min` and `price`. */
function partsOf(name: string): string[] {
  return name
    .replace(/(\p{Ll}|\d)(?=\p{Lu})/gu, '$1_')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
}

function byEdits(word: string, known: readonly string[]): string | null {
  let best: { name: string; edits: number } | null = null
  for (const name of known) {
    const letters = bare(name)
    const length = Math.max(word.length, letters.length)
    const edits = editsBetween(word, letters)
    const isNear = edits <= Math.min(EDITS_MAX, Math.floor(length / LETTERS_PER_EDIT))
    if (isNear && (best === null || edits < best.edits)) best = { name, edits }
  }
  return best?.name ?? null
}

/** Letters added, left out, replaced or swapped with their neighbour (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1]
      const replaced = (last[column - 1] as number) + (isSame ? 0 : 1)
      const added = (current[column - 1] as number) + 1
      const left = (last[column] as number) + 1
      const isSwapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const swapped = isSwapped ? (beforeLast[column - 2] as number) + 1 : replaced
      current.push(Math.min(replaced, added, left, swapped))
    }
    beforeLast = last
    last = current
  }
  return last[b.length] as number
}

/** Whether the longer name contains every part of the shorter one. */
function containsParts(word: readonly string[], name: readonly string[]): boolean {
  const [fewer, more] = word.length <= name.length ? [word, name] : [name, word]
  return fewer.length > 0 && fewer.every((part) => more.includes(part))
}

function beginsAlike(word: string, name: string): boolean {
  const [shorter, longer] = word.length <= name.length ? [word, name] : [name, word]
  return shorter.length >= BEGINNING_LENGTH_MIN && longer.startsWith(shorter)
}

function onlyOne(known: readonly string[], isMeant: (name: string) => boolean): string | null {
  const found = known.filter(isMeant)
  return found.length === 1 ? (found[0] as string) : null
}

/** Suggestion for an unknown word: the nearest known one, else all of them. */
export function insteadOf(word: string, known: readonly string[]): string {
  const nearest = nearestName(word, known)
  return nearest === null ? `use one of ${known.join(' ')}` : `did you mean "${nearest}"?`
}
