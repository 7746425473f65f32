/** A `Packages` file of a Debian archive: stanzas of fields, one a package. Pure: text in, values out. */
import { compareVersions } from './versions.ts'

type IndexedPackage = {
  version: string
  /** Names of `Pre-Depends` and `Depends`, each alternative of them, without versions. */
  dependencies: readonly string[]
  /** Path of the package's file, relative to the archive. */
  path: string
  /** Bytes of the file. */
  size: number
  /** Hexadecimal. */
  sha256: string
}

export type PackageIndex = ReadonlyMap<string, IndexedPackage>

const FIELD = /^(Package|Version|Depends|Pre-Depends|Filename|Size|SHA256): (.*)$/gm

/** Throws an Error that names the package whose stanza lacks a field or has a path that leaves the archive. */
export function parsePackages(text: string): PackageIndex {
  const index = new Map<string, IndexedPackage>()
  for (const stanza of text.split('\n\n')) {
    const fields = new Map(Array.from(stanza.matchAll(FIELD), ([, name, value]) => [name, value]))
    const name = fields.get('Package')
    if (name === undefined) continue
    addNewer(index, name, readPackage(name, fields))
  }
  return index
}

function addNewer(index: Map<string, IndexedPackage>, name: string, found: IndexedPackage): void {
  const known = index.get(name)
  if (known === undefined || compareVersions(found.version, known.version) > 0) {
    index.set(name, found)
  }
}

function readPackage(
  name: string,
  fields: ReadonlyMap<string | undefined, string | undefined>,
): IndexedPackage {
  const [version, path, size, sha256] = ['Version', 'Filename', 'Size', 'SHA256'].map((field) => {
    const value = fields.get(field)
    if (value === undefined || value === '') throw new Error(`package "${name}" has no ${field}`)
    return value
  }) as [string, string, string, string]
  if (!/^\d{1,12}$/.test(size)) throw new Error(`package "${name}" has the size "${size}"`)
  if (!/^[\da-f]{64}$/.test(sha256)) throw new Error(`package "${name}" has a broken SHA256`)
  if (path.startsWith('/') || path.split('/').includes('..')) {
    throw new Error(`package "${name}" has the path "${path}"`)
  }
  const needed = [fields.get('Pre-Depends'), fields.get('Depends')].flatMap(namesOf)
  return { version, dependencies: needed, path, size: Number(size), sha256 }
}

/** `a (>= 1), b | c:any` are a, b and c. */
function namesOf(relation: string | undefined): string[] {
  if (relation === undefined) return []
  return relation.split(/[,|]/).flatMap((each) => /^\s*([^\s:(]+)/.exec(each)?.[1] ?? [])
}

/** The newest version of each package of several suites. */
export function mergeIndexes(indexes: readonly PackageIndex[]): PackageIndex {
  const merged = new Map<string, IndexedPackage>()
  for (const index of indexes) {
    for (const [name, found] of index) addNewer(merged, name, found)
  }
  return merged
}
