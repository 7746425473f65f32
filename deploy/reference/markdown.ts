/** Parts of documents that are generated: tables, and blocks within a page that is otherwise written by hand. Pure. */

export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
  return [headings, headings.map(() => '---'), ...rows].map(line).join('')
}

type Block = {
  /** Path of the page, as the error names it. */
  readonly path: string
  /** Comments on lines of their own, without the line feed. */
  readonly begin: string
  readonly end: string
  /** Text between the two, with its last line feed. */
  readonly block: string
}

/** The page with another block. Throws where it has none. */
export function withBlock(text: string, { path, begin, end, block }: Block): string {
  const from = text.indexOf(`${begin}\n`)
  const to = text.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`${path}: expected a block "${begin}" with its end`)
  return `${text.slice(0, from + begin.length)}\n\n${block}\n${text.slice(to)}`
}
