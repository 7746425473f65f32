/**
 * Help texts of at most 80 columns: the overview of all commands and the page of one command with its options,
 * examples and environment variables.
 */
import type { Setting } from '../config/setting.ts'
import { type SettingName, settingsOf } from '../config/settings.ts'
import type { Usage } from './arguments.ts'

const COLUMNS = 80
const INDENT = '  '
/** A longer left cell has its text on the next line. */
const LEFT_MAX = 26

/** The page of `swaptide COMMAND --help`, or of a script that another program runs. */
export function helpText(usage: Usage, summary: string, program = 'swaptide'): string {
  const { line, options, notes = [], examples } = usage
  const name = line.split(' ')[0] ?? ''
  const settings = settingsOf(name).map(settingRow)
  const paragraphs = [sentence(summary), ...notes].map((text) => `\n${wrapped(text)}`)
  const listed = [...optionRows(options), ['--help', 'print this text'] as const]
  return [
    wrapped(`${program} ${line}`, INDENT.repeat(2)),
    ...paragraphs,
    `\nOptions:\n${twoColumns(listed)}`,
    `\nExamples:\n${examples.map((example) => `${INDENT}${example}\n`).join('')}`,
    settings.length === 0 ? '' : `\nEnvironment (docs/configuration.md):\n${twoColumns(settings)}`,
  ].join('')
}

type OverviewGroup = { title: string; commands: readonly (readonly [string, string])[] }

/** The text of `swaptide --help`. */
export function overviewText(groups: readonly OverviewGroup[], footer: readonly string[]): string {
  const width = Math.max(...groups.flatMap(({ commands }) => commands.map(([name]) => name.length)))
  const sections = groups.map(
    ({ title, commands }) => `\n${title}:\n${twoColumns(commands, width)}`,
  )
  return [
    'swaptide COMMAND [OPTIONS]\n',
    ...sections,
    ...footer.map((text) => `\n${wrapped(text)}`),
  ].join('')
}

/** Rows of options, as help and docs/commands.md list them. */
export function optionRows(options: Usage['options']): (readonly [string, string])[] {
  return Object.entries(options).map(([name, { value, about, default: absent }]) => [
    value === undefined ? `--${name}` : `--${name} ${value}`,
    absent === undefined ? about : `${about} (default ${absent})`,
  ])
}

/** `create API keys` -> `Create API keys.` */
export const sentence = (summary: string): string =>
  `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`

function settingRow([name, setting]: [SettingName, Setting]): readonly [string, string] {
  const { about, default: absent } = setting
  return [name, absent === undefined ? about : `${about} (default ${absent})`]
}

function twoColumns(
  rows: readonly (readonly [string, string])[],
  width = Math.min(LEFT_MAX, Math.max(...rows.map(([left]) => left.length))),
): string {
  const indent = ' '.repeat(INDENT.length + width + 2)
  return rows
    .map(([left, right]) => {
      const text = wrapped(`${indent}${right}`, indent)
      const start = `${INDENT}${left}`
      return start.length + 2 <= indent.length
        ? start.padEnd(indent.length) + text.slice(indent.length)
        : `${start}\n${text}`
    })
    .join('')
}

/** The text in lines of at most 80 columns; those after the first begin with `indent`. */
function wrapped(text: string, indent = ''): string {
  const first = /^ */.exec(text)?.[0] ?? ''
  const lines: string[] = []
  let line = ''
  let start = first
  for (const word of text.trim().split(' ')) {
    if (line !== '' && start.length + line.length + 1 + word.length > COLUMNS) {
      lines.push(start + line)
      start = indent
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, start + line].map((each) => `${each}\n`).join('')
}
