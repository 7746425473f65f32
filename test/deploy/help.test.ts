/** The help of every command: complete, true to the parser and the tables, and of at most 80 columns. */
import test from 'ava'
import { parseArguments, UsageError } from '../../deploy/cli/arguments.ts'
import type { CommandContext } from '../../deploy/cli/command.ts'
import { helpOf, overview } from '../../deploy/command-line.ts'
import { COMMANDS } from '../../deploy/command-table.ts'
import { COMMAND_NAMES, type CommandName } from '../../deploy/config/setting.ts'
import { SETTINGS, settingsOf } from '../../deploy/config/settings.ts'
import { CONTRACT } from '../../streams/ingest/contract.ts'

const COLUMNS = 80
const commandOf = (name: string) => COMMANDS[name as CommandName].load()

test('no line of any help has more than 80 columns', async (t) => {
  const texts = [overview(), ...(await Promise.all(COMMAND_NAMES.map(helpOf)))]
  const lines = texts.flatMap((text) => text.split('\n'))
  t.deepEqual(
    lines.filter((line) => line.length > COLUMNS),
    [],
  )
  t.deepEqual(
    lines.filter((line) => /\s$/.test(line)),
    [],
  )
})

test('help of import names each field of a token line', async (t) => {
  const help = (await helpOf('import')).replaceAll(/\s+/g, ' ')
  const [, fields = ''] = /tokens: (.*?)\. sectors:/.exec(help) ?? []
  const named = new Set(fields.split(/[^a-z_]+/))
  const expected = CONTRACT.token.map(({ name }) => (name === 'token_address' ? 'mint' : name))
  t.deepEqual(
    expected.filter((name) => !named.has(name)),
    [],
  )
})

test('the table of commands has the order of the help', (t) => {
  t.deepEqual(Object.keys(COMMANDS), [...COMMAND_NAMES])
})

test('help names the options that the command accepts and no others', async (t) => {
  for (const name of COMMAND_NAMES) {
    const { described } = await commandOf(name)
    const help = await helpOf(name)
    const listed = Array.from(help.matchAll(/^ {2}(--[a-z-]+)/gm), ([, option]) => option)
    const accepted = Object.keys(described.options).map((option) => `--${option}`)
    t.deepEqual(listed, [...accepted, '--help'], name)
    if (described.passesOn) continue
    const named = described.line.match(/--[a-z-]+/g) ?? []
    t.deepEqual(
      named.filter((option) => !accepted.includes(option)),
      [],
      name,
    )
  }
})

test('help names the variables that the command reads, and only those of the table', async (t) => {
  for (const name of COMMAND_NAMES) {
    const help = await helpOf(name)
    const listed = help.slice(help.indexOf('\nEnvironment')).matchAll(/^ {2}([A-Z][A-Z_]+)/gm)
    t.deepEqual(
      Array.from(listed, ([, variable]) => variable),
      settingsOf(name).map(([variable]) => variable),
      name,
    )
    const named = help.match(/\b(?:[A-Z]+_[A-Z_]+|HOST|PORT|LANES)\b/g) ?? []
    t.deepEqual(
      named.filter((variable) => !Object.hasOwn(SETTINGS, variable)),
      [],
      name,
    )
  }
})

test('every example passes the checks of its command', async (t) => {
  for (const name of COMMAND_NAMES) {
    const { examples } = (await commandOf(name)).described
    t.true(examples.length > 0, name)
    t.true(
      examples.some((example) => commandsIn(example).some(([command]) => command === name)),
      `an example of ${name} runs it`,
    )
    for (const [command = '', ...argv] of examples.flatMap(commandsIn)) {
      const { described, run } = await commandOf(command)
      if (described.passesOn) continue
      t.notThrows(() => parseArguments(described, argv), `${command} ${argv.join(' ')}`)
      // Arguments are checked before the context is used, and this context is empty.
      const error = await t.throwsAsync(run(argv, {} as CommandContext))
      t.false(error instanceof UsageError, `${command} ${argv.join(' ')}: ${error.message}`)
    }
  }
})

/** The arguments of each `swaptide` in a shell line. */
function commandsIn(line: string): string[][] {
  return line.split(' | ').map((part) => {
    const words = Array.from(part.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => {
      return quoted ?? plain ?? ''
    })
    const redirected = words.indexOf('>')
    const end = redirected === -1 ? words.length : redirected
    return words.slice(words.indexOf('swaptide') + 1, end)
  })
}
