/** The text of docs/commands.md, derived from the table of commands. */
import { optionRows, sentence } from '../cli/help.ts'
import { COMMAND_GROUPS, COMMANDS } from '../command-table.ts'
import { settingsOf } from '../config/settings.ts'
import { GENERATED, markdownTable } from './markdown.ts'

const INTRODUCTION = `# Commands

${GENERATED}

Run a command as \`npx swaptide COMMAND\` in the project's folder. A command uses the installation that \`swaptide up\` runs
in \`SWAPTIDE_HOME\`, or the servers of \`DATABASE_URL\`, \`NATS_URL\` and \`REDIS_URL\` ([configuration.md](configuration.md)).
Exit codes: 0 done, 1 failed, 2 wrong arguments (nothing was done).
`

export async function commandsPage(): Promise<string> {
  const parts = [INTRODUCTION]
  for (const [group, title] of Object.entries(COMMAND_GROUPS)) {
    parts.push(`\n## ${title}\n`)
    for (const [name, entry] of Object.entries(COMMANDS)) {
      if (entry.group !== group) continue
      const { described } = await entry.load()
      const { line, notes = [], options, examples } = described
      const listed = optionRows(options).map(([left, right]) => [`\`${left}\``, right])
      parts.push(
        `\n### ${name}\n\n\`swaptide ${line}\`\n\n${sentence(entry.summary)}\n`,
        ...notes.map((note) => `\n${note}\n`),
        listed.length === 0 ? '' : `\n${markdownTable(['option', 'does'], listed)}`,
        `\n\`\`\`\n${examples.join('\n')}\n\`\`\`\n`,
        `\nReads ${settingsOf(name)
          .map(([setting]) => `\`${setting}\``)
          .join(', ')}.\n`,
      )
    }
  }
  return parts.join('')
}
