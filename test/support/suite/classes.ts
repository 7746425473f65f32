/**
 * Times of the suite by class of files, as docs/testing.md has them. Files that share a thread count as one; about four
 * threads run at once, so that a whole run takes a quarter of the sum.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../sources.ts'

type Class = {
  name: string
  /** Folders below `test/`. */
  folders: readonly string[]
  /** Seconds of all its threads at the commit that the table compares with, by one whole run. */
  before?: number
}

/** Files that lie next to the folders are house rules. */
const HOUSE = 'house'
const CLASSES: readonly Class[] = [
  { name: 'domain', folders: ['domain'] },
  { name: 'streams, chain', folders: ['streams', 'chain'] },
  { name: 'sql, history, lake', folders: ['sql', 'history', 'lake'] },
  { name: 'workers', folders: ['workers'] },
  { name: 'api', folders: ['api'] },
  { name: 'web', folders: ['web'] },
  { name: 'deploy', folders: ['deploy'] },
  { name: 'drill, simulation', folders: ['drill', 'simulation'] },
  {
    name: 'clients, examples, bench, documents',
    folders: ['clients', 'examples', 'bench', 'docs', 'support'],
  },
  { name: 'house rules, recipes, limits', folders: [HOUSE] },
]

/** The folder is "api" for `test/api/fuzz.test.ts` and for the group `.test/api-resources-1.test.ts`. */
function folderOf(file: string): string | undefined {
  const [, name = '', next] = /^\.?test\/([a-z]+)(\/|[-.\d])/.exec(file) ?? []
  if (name === '') return undefined
  const isFolder = next === '/' || file.startsWith('.test/')
  return isFolder ? name : HOUSE
}

type Seconds = Readonly<Record<string, number>>

/** A table in Markdown. `seconds`: those of each file or group. Throws for one of no class. */
export function timesTable(seconds: Seconds, classes: readonly Class[] = CLASSES): string {
  const byFolder = Map.groupBy(Object.entries(seconds), ([file]) => folderOf(file))
  for (const [folder, [entry]] of byFolder) {
    const isKnown = classes.some(({ folders }) => folders.includes(folder ?? ''))
    if (!isKnown) throw new Error(`"${entry?.[0]}" belongs to no class of files`)
  }
  const hasBefore = classes.some(({ before }) => before !== undefined)
  const row = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`
  const known = (before: unknown): unknown[] => (hasBefore ? [before] : [])
  const rows = classes.map(({ name, folders, before = '' }) => {
    const own = folders.flatMap((folder) => byFolder.get(folder) ?? [])
    const longest = Math.max(0, ...own.map(([, each]) => each))
    return row([name, own.length, ...known(before), sumOf(own), longest])
  })
  const sums = classes.map(({ before = 0 }): [string, number] => ['', before])
  const all = Object.entries(seconds)
  const longest = Math.max(0, ...all.map(([, each]) => each))
  return [
    row(['class of files', 'threads', ...known('seconds before'), 'seconds', 'longest']),
    row(Array(hasBefore ? 5 : 4).fill('---')),
    ...rows,
    row(['all', all.length, ...known(sumOf(sums)), sumOf(all), longest]),
  ].join('\n')
}

const sumOf = (entries: readonly (readonly [string, number])[]): number =>
  entries.reduce((sum, [, seconds]) => sum + seconds, 0)

export const PAGE = 'docs/testing.md'
const BLOCK = /(?<=<!-- times -->\n)[\s\S]*?(?=<!-- end of times -->)/

/** The page with the table of these times. */
export function withTimes(seconds: Seconds): string {
  const page = readFileSync(join(ROOT, PAGE), 'utf8')
  if (!BLOCK.test(page)) throw new Error(`"${PAGE}" has no place for the table of times`)
  return page.replace(BLOCK, `${timesTable(seconds)}\n`)
}
