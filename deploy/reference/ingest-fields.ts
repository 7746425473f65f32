/** The text of docs/ingest-fields.md, derived from the ingest contract. */
import { CONTRACT, type Field, type Presence } from '../../streams/ingest/contract.ts'
import { GENERATED, markdownTable } from './markdown.ts'

const INTRODUCTION = `# Fields of the ingest format

${GENERATED}

A line is one JSON object; its \`kind\` selects the table below. Fields that a table does not name are ignored.
`

const PRESENCES: Readonly<Record<Presence, string>> = {
  required: 'required',
  defaulted: 'may be absent',
  optional: 'may be absent or null',
}

export function ingestFieldsPage(): string {
  const sections = Object.entries(CONTRACT).map(([kind, fields]) => {
    return `\n## ${kind}\n\n${markdownTable(['field', 'presence', 'accepts'], fields.map(rowOf))}`
  })
  return INTRODUCTION + sections.join('')
}

const rowOf = ({ name, presence, rule }: Field): string[] => [
  `\`${name}\``,
  PRESENCES[presence],
  rule.expected,
]
