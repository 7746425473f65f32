/**
 * Statements that differ only in order, direction or width, as one file with placeholders.
 *
 * The header lists the variants, and for each of them the text of every `{placeholder}`; a variant whose values do not
 * fit one line has several:
 *
 * ```
 * -- variant asc: order = asc; beyond = >
 * -- variant desc: order = desc; beyond = <
 * select slot from swap where slot {beyond} $1 order by slot {order}
 * ```
 *
 * A part that several statements share, such as a list of columns, is a file of `fragments/`, included by `{+name}`.
 *
 * Invariant: SQL consists of the text of these files. A caller only names a variant of a closed list.
 */

const VARIANT_LINE = /^-- variant (\w+): (.*)\n/gm
const PLACEHOLDER = /\{(\w+)\}/g
const INCLUDE = /^( *)(.*)\{\+(\w+)\}/gm
const HEADER = /^(--.*\n)+/

/** The text with each `{+name}` replaced by that fragment without its header, at the line's indentation. */
export function includeFragments(text: string, read: (name: string) => string): string {
  // Most statements include none, and the pattern looks at each line of a text.
  if (!text.includes('{+')) return text
  return text.replaceAll(INCLUDE, (_, indent: string, before: string, name: string) => {
    const fragment = read(name).replace(HEADER, '').trimEnd()
    return `${indent}${before}${fragment.replaceAll('\n', `\n${indent}`)}`
  })
}

/** Statements by variant; undefined for a file that is a statement itself. Throws for a broken template. */
export function fillTemplate(path: string, text: string): ReadonlyMap<string, string> | undefined {
  const variants = new Map<string, Map<string, string>>()
  for (const [, variant = '', line = ''] of text.matchAll(VARIANT_LINE)) {
    const values = variants.get(variant) ?? new Map<string, string>()
    for (const pair of line.split('; ')) {
      const [, name, value] = /^(\w+) = (.+)$/.exec(pair) ?? []
      if (name === undefined || value === undefined || values.has(name)) {
        throw new Error(
          `template "${path}", variant "${variant}": "${pair}" is not a new "name = text"`,
        )
      }
      values.set(name, value)
    }
    variants.set(variant, values)
  }
  if (variants.size === 0) return undefined
  const body = text.replace(VARIANT_LINE, '')
  const filled = Array.from(variants, ([variant, values]): [string, string] => [
    variant,
    fill(`${path}_${variant}`, body, values),
  ])
  return new Map(filled)
}

function fill(path: string, body: string, values: ReadonlyMap<string, string>): string {
  const used = new Set<string>()
  const text = body.replaceAll(PLACEHOLDER, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined) throw new Error(`template "${path}" has no text for {${name}}`)
    used.add(name)
    return value
  })
  const unused = [...values.keys()].filter((name) => !used.has(name))
  if (unused.length > 0) throw new Error(`template "${path}" has no {${unused.join('}, {')}}`)
  return text
}
