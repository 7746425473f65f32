/**
 * Links to headings of documents: `docs/<page>.md#<heading>` from the root in any file, and in documents
 * also `[text](<page>.md#<heading>)` from their folder and `[text](#<heading>)` in the page itself.
 */
import { dirname, join, normalize } from 'node:path'

/** A file of the project by its path from the root. */
type File = { path: string; text: string }
type HeadingLink = { page: string; heading: string }

/** From the root; a longer path or an address that ends like it is another link. */
const FROM_ROOT = /(?<![\w./-])((?:[\w-]+\/)+[\w-]+\.md|[A-Z]+\.md)#([\w-]+)/g
/** From the folder of a document; an address with a scheme is no link of ours. */
const FROM_FOLDER = /\]\((?![a-z]+:)([\w./-]*)#([\w-]+)\)/g
/** Blocks of code, in which a line that begins with `#` is no heading. */
const FENCED = /^ *(```|~~~)[\s\S]*?^ *\1/gm

function headingLinksOf({ path, text }: File): HeadingLink[] {
  if (!path.endsWith('.md')) return linksOf(text, FROM_ROOT, (page) => page)
  const pageOf = (page: string) => (page === '' ? path : normalize(join(dirname(path), page)))
  return [
    ...linksOf(text, FROM_FOLDER, pageOf),
    ...linksOf(text.replaceAll(FROM_FOLDER, ''), FROM_ROOT, (page) => page),
  ]
}

function linksOf(text: string, form: RegExp, pageOf: (page: string) => string): HeadingLink[] {
  return Array.from(text.matchAll(form), ([, page = '', heading = '']) => ({
    page: pageOf(page),
    heading,
  }))
}

/** Names of a document's headings as GitHub links them; a heading that occurs again gets a number. */
function headingsOf(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [, heading = ''] of text.replaceAll(FENCED, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const name = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    let unique = name
    for (let again = 1; names.has(unique); again++) unique = `${name}-${again}`
    names.add(unique)
  }
  return names
}

/** Links of the files to pages or headings that do not exist, as `path links page#heading`. */
export function danglingLinks(
  files: readonly File[],
  pageText: (path: string) => string | undefined,
): string[] {
  const known = new Map<string, ReadonlySet<string>>()
  const headings = (page: string): ReadonlySet<string> => {
    const found = known.get(page) ?? headingsOf(pageText(page) ?? '')
    known.set(page, found)
    return found
  }
  return files.flatMap((file) =>
    headingLinksOf(file)
      .filter(({ page, heading }) => !headings(page).has(heading))
      .map(({ page, heading }) => `${file.path} links ${page}#${heading}`),
  )
}
