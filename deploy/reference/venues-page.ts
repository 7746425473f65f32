/** The generated page docs/venues.md: the table of venues, with the notes that head the reader of each. */
import { readFile } from 'node:fs/promises'
import { VENUE_FOLDERS } from '../../chain/venues/tables.ts'
import { VENUES, type Venue } from '../../domain/venue.ts'

const VENUES_DIRECTORY = new URL('../../chain/venues/', import.meta.url)

const introduction = (generated: string): string => `# The venues

${generated}

Each venue with the events that the decoder reads, the facts that these do not state, and the facts that are lost where a node
cut the logs. Rules that all venues share: [sources](sources.md#the-venues).
`

/** The page; `generated`: its first line. */
export async function venuesPage(generated: string): Promise<string> {
  const sections = await Promise.all(VENUES.map(sectionOf))
  return introduction(generated) + sections.join('')
}

async function sectionOf(venue: Venue): Promise<string> {
  const { dex, name, programName, title, program, kind } = venue
  const path = `${VENUE_FOLDERS[dex]}/swaps.ts`
  const text = await readFile(new URL(path, VENUES_DIRECTORY), 'utf8')
  const notes = notesOf(text)
  if (notes === '') throw new Error(`${path}: expected notes after the first line of its header`)
  const names = `\`dex\` ${dex}, \`${name}\`, \`${programName}\`: \`${kind}\`, program \`${program}\``
  return `\n## ${title}\n\n${names}.\n\n${notes}\n`
}

/** The header of a file without its first paragraph, which names the venue. */
function notesOf(text: string): string {
  const header = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(text)?.[1] ?? ''
  const lines = header.split('\n').map((line) => line.replace(/^ \* ?/, ''))
  const at = lines.indexOf('')
  return at < 0 ? '' : lines.slice(at + 1).join('\n')
}
