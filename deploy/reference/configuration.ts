/** The text of docs/configuration.md, derived from the table of settings. */
import { expectation } from '../config/parse.ts'
import { COMMAND_NAMES, GROUPS, type Kind, SETTINGS, type Setting } from '../config/settings.ts'
import { GENERATED, markdownTable } from './markdown.ts'

const INTRODUCTION = `# Configuration

${GENERATED}

Every setting is an environment variable. An empty variable counts as not set. A bad value is refused with the value in
quotes and what was expected; a variable that begins with \`SWAPTIDE_\` and is not listed here is refused with the nearest
name. \`swaptide COMMAND --help\` lists the variables that a command reads.
`

const CREDENTIAL = 'A credential: messages and logs never repeat it.'

export function configurationPage(): string {
  const sections = Object.entries(GROUPS).map(([group, title]) => {
    const settings = Object.entries<Setting>(SETTINGS).filter(([, each]) => each.group === group)
    const rows = settings.map(([name, setting]) => [
      `\`${name}\``,
      defaultOf(setting),
      acceptedBy(setting.kind),
      describe(setting),
      readersOf(setting.readBy),
    ])
    const headings = ['variable', 'default', 'accepts', 'sets', 'read by']
    return `\n## ${title}\n\n${markdownTable(headings, rows)}`
  })
  return INTRODUCTION + sections.join('')
}

function defaultOf({ default: value, absent }: Setting): string {
  return value === undefined ? (absent ?? 'none') : `\`${value}\``
}

/** `an integer of 0 to 65535` */
const acceptedBy = (kind: Kind): string => expectation(kind).replace(/^expected /, '')

function describe({ about, note, isSecret }: Setting): string {
  const sentences = [`${about.charAt(0).toUpperCase()}${about.slice(1)}.`]
  if (note !== undefined) sentences.push(note)
  if (isSecret) sentences.push(CREDENTIAL)
  return sentences.join(' ')
}

/** From as many exceptions on, readers are listed one by one. */
const EXCEPTIONS = 3

const listed = (commands: readonly string[]): string =>
  commands.map((command) => `\`${command}\``).join(', ')

function readersOf(commands: readonly string[]): string {
  const others = COMMAND_NAMES.filter((name) => !commands.includes(name))
  if (others.length === 0) return 'every command'
  if (others.length < EXCEPTIONS) return `every command except ${listed(others)}`
  return listed(commands)
}
