/**
 * Texts of readers.ts and encoders.ts, the records over all venues, from the table of venues. Pure. A venue's folder has
 * the name of its program, with hyphens (docs/decisions/0080-a-venue-is-a-folder.md).
 */
import { VENUES } from '../../domain/venue.ts'

type Folder = { readonly dex: number; readonly folder: string; readonly constant: string }

const FOLDERS: readonly Folder[] = VENUES.map(({ dex, programName }) => ({
  dex,
  folder: programName.replaceAll('_', '-'),
  constant: programName.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
}))

/** Folders in chain/venues/ by venue. */
export const VENUE_FOLDERS: Readonly<Record<number, string>> = Object.fromEntries(
  FOLDERS.map(({ dex, folder }) => [dex, folder]),
)

const HEADER = '// Written by "npm run generate" from the table of venues; not edited by hand.'

/** Texts by path from the root. */
export const VENUE_TABLES: ReadonlyMap<string, string> = new Map([
  ['chain/venues/readers.ts', readersSource()],
  ['chain/venues/encoders.ts', encodersSource()],
])

function importsOf(lines: (folder: Folder) => readonly string[]): readonly string[] {
  return FOLDERS.toSorted((a, b) => (a.folder < b.folder ? -1 : 1)).flatMap(lines)
}

function readersSource(): string {
  return [
    HEADER,
    "import type { DexId } from '../../domain/venue.ts'",
    "import type { VenueReader } from '../decoder/venue-reader.ts'",
    ...importsOf(({ folder, constant }) => [
      `import { KNOWN as ${constant}Known } from './${folder}/layout.ts'`,
      `import { readPools as ${constant}Pools } from './${folder}/pools.ts'`,
      `import { readSwaps as ${constant}Swaps } from './${folder}/swaps.ts'`,
    ]),
    '',
    'export const READERS: Readonly<Record<DexId, VenueReader>> = {',
    ...FOLDERS.map(
      ({ dex, constant }) =>
        `  ${dex}: { readSwaps: ${constant}Swaps, readPools: ${constant}Pools, known: ${constant}Known },`,
    ),
    '}',
    '',
  ].join('\n')
}

function encodersSource(): string {
  return [
    HEADER,
    "import type { DexId } from '../../domain/venue.ts'",
    "import type { VenueEncoder } from '../encoder/venue-encoder.ts'",
    ...importsOf(({ folder, constant }) => [
      `import { encoder as ${constant} } from './${folder}/encode.ts'`,
    ]),
    '',
    'export const ENCODERS: Readonly<Record<DexId, VenueEncoder>> = {',
    ...FOLDERS.map(({ dex, constant }) => `  ${dex}: ${constant},`),
    '}',
    '',
  ].join('\n')
}
