// Files that hold a key: one line of printable ASCII, as a header carries it. No error repeats any of it.

import { readDurable } from './durable-file.ts'

const FORM = /^[\x21-\x7e]+$/

export const SECRET_FORM = 'expected one line of printable ASCII without spaces'

/** The line of a file's text; empty where the file is; undefined where it is of another form. */
export function secretLine(text: string): string | undefined {
  const line = text.trim()
  return line === '' || FORM.test(line) ? line : undefined
}

/** The key of a file; undefined where the file is absent or empty. Rejects with its path where it holds something else. */
export async function readSecret(path: string): Promise<string | undefined> {
  const line = secretLine((await readDurable(path)) ?? '')
  if (line === undefined) throw new Error(`"${path}": ${SECRET_FORM}`)
  return line === '' ? undefined : line
}
