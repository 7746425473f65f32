/**
 * Identity of the program: its name and version, the newest migration that it contains, and the commit if its folder
 * is a clone.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { migrationFiles } from '../../../sql/schema/version.ts'

const ROOT = join(import.meta.dirname, '../../..')
const COMMIT = /^[0-9a-f]{40,64}$/

export type Program = {
  name: string
  version: string
  /** Absent outside of a clone. */
  commit?: string
  /** Name of the newest migration. */
  schema: string
}

export function readProgram(): Program {
  const commit = commitOf(ROOT)
  return {
    name: manifest.name,
    version: manifest.version,
    ...(commit === undefined ? {} : { commit }),
    schema:
      migrationFiles()
        .at(-1)
        ?.replace(/\.sql$/, '') ?? '',
  }
}

/** Commit as Git stores it; undefined where its files are not as expected, because the commit is optional. */
function commitOf(root: string): string | undefined {
  try {
    const folder = gitFolder(root)
    const head = readText(join(folder, 'HEAD'))
    const [, name] = /^ref: (.+)$/.exec(head) ?? []
    const commit = name === undefined ? head : commitOfReference(sharedFolder(folder), name)
    return commit !== undefined && COMMIT.test(commit) ? commit : undefined
  } catch {
    return undefined
  }
}

/** `.git` is a folder, or a file that names one. */
function gitFolder(root: string): string {
  const path = join(root, '.git')
  try {
    const [, named] = /^gitdir: (.+)$/.exec(readText(path)) ?? []
    return named === undefined ? path : resolve(root, named)
  } catch {
    return path
  }
}

/** Where the branches are. */
function sharedFolder(folder: string): string {
  try {
    return resolve(folder, readText(join(folder, 'commondir')))
  } catch {
    return folder
  }
}

function commitOfReference(folder: string, name: string): string | undefined {
  try {
    return readText(join(folder, name))
  } catch {
    const packed = readText(join(folder, 'packed-refs')).split('\n')
    return packed.find((line) => line.endsWith(` ${name}`))?.split(' ')[0]
  }
}

function readText(path: string): string {
  return readFileSync(path, 'utf8').trim()
}
