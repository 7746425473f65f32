/**
 * Lines of code that ran, by V8's reports. A line is covered where the innermost counted range that holds all of it ran
 * in any process. Lines that are blank, comments or types alone count nowhere. Imports nothing of the project: it also
 * measures trees of other commits.
 */
import { stripTypeScriptTypes } from 'node:module'

/** A range that V8 reports. Offsets are in the text that ran: the source without its types. */
export type Range = { startOffset: number; endOffset: number; count: number }
export type Script = { url: string; functions: readonly { ranges: readonly Range[] }[] }

/** The trimmed extent of a line of code. */
type Line = { number: number; start: number; end: number }

export type Source = { lines: readonly Line[]; covered: Set<number> }

const WITHOUT_CODE = /^\s*(?:$|\/\/|\/\*|\*)/

/** Nothing is covered yet. `text`: TypeScript whose types can be stripped. */
export function sourceOf(text: string): Source {
  const lines: Line[] = []
  let offset = 0
  for (const [index, line] of stripTypeScriptTypes(text).split('\n').entries()) {
    if (!WITHOUT_CODE.test(line)) {
      const start = offset + line.length - line.trimStart().length
      lines.push({ number: index + 1, start, end: offset + line.trimEnd().length })
    }
    offset += line.length + 1
  }
  return { lines, covered: new Set() }
}

/** Adds what ran of the source in one process. Ranges within others come after them. */
export function cover({ lines, covered }: Source, { functions }: Pick<Script, 'functions'>): void {
  const counts = new Map<Line, number>()
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges) {
      for (let at = firstFrom(lines, startOffset); at < lines.length; at += 1) {
        const line = lines[at] as Line
        if (line.end > endOffset) break
        counts.set(line, count)
      }
    }
  }
  for (const [{ number }, count] of counts) if (count > 0) covered.add(number)
}

/** Index of the first line that begins at the offset or after it. */
function firstFrom(lines: readonly Line[], offset: number): number {
  let [low, high] = [0, lines.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((lines[middle] as Line).start < offset) low = middle + 1
    else high = middle
  }
  return low
}
