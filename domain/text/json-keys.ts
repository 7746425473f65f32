/**
 * Scans the keys of a JSON text as written: whether an object of it has one of them twice, however it is spelled
 * ("sl\u006ft" is "slot") and however deep it nests. Pure.
 */

/** `source`: its second value, as the text has it. */
export type RepeatedKey = { key: string; source: string }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d
const COLON = 0x3a
const SPACE = 0x20

/** The first key that an object has a second time. `text`: valid JSON. */
export function findRepeatedKey(text: string): RepeatedKey | undefined {
  /** Keys so far of each object that is open, the innermost last. */
  const open: Set<string>[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === OPENING_BRACE) open.push(new Set())
    else if (code === CLOSING_BRACE) open.pop()
    else if (code === QUOTE) {
      const end = endOfText(text, at)
      const next = afterSpace(text, end)
      if (text.charCodeAt(next) === COLON) {
        const key = JSON.parse(text.slice(at, end)) as string
        const keys = open.at(-1)
        if (keys?.has(key)) return { key, source: valueAt(text, afterSpace(text, next + 1)) }
        keys?.add(key)
      }
      at = end - 1
    }
  }
  return undefined
}

/** The offset after the closing quote of the text that begins here. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at++
  }
  return text.length
}

function afterSpace(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) <= SPACE) at++
  return at
}

/** Text of a value; for a list or an object, its beginning. */
function valueAt(text: string, start: number): string {
  if (text.charCodeAt(start) === QUOTE) return text.slice(start, endOfText(text, start))
  const length = text.slice(start).search(/[\s,}\]]/)
  return text.slice(start, start + Math.max(1, length))
}
