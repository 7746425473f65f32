// Emulates a terminal of some width: enough for the output of our commands. Rows that have scrolled off are retained.

import { spawn, spawnSync } from 'node:child_process'
import { finished, type Ran, SWAPTIDE } from '../programs/commands.ts'

const ESCAPE = '\x1b'
const CONTROL = new RegExp(`${ESCAPE}\\[(?<code>K|\\?7[lh])|(?<char>[\\s\\S])`, 'gu')

export function screenOf(text: string, columns: number): string[] {
  const rows: string[][] = [[]]
  let row = 0
  let column = 0
  let wraps = true
  const nextRow = (): void => {
    row += 1
    column = 0
    rows[row] ??= []
  }
  const put = (char: string): void => {
    if (column === columns && wraps) {
      nextRow()
    }
    const at = Math.min(column, columns - 1)
    const cells = rows[row] ?? []
    for (let gap = cells.length; gap < at; gap++) cells[gap] = ' '
    cells[at] = char
    column = at + 1
  }
  for (const { groups = {} } of text.matchAll(CONTROL)) {
    const { code, char = '' } = groups
    if (code === 'K') rows[row]?.splice(column)
    else if (code !== undefined) wraps = code.endsWith('h')
    else if (char === '\r') column = 0
    else if (char === '\n') nextRow()
    else put(char)
  }
  return rows.map((cells) => cells.join('').trimEnd())
}

const hasScript = spawnSync('script', ['--version']).status === 0

/** Whether a command can be run on a terminal here: by `script` of util-linux. */
export const HAS_TERMINAL = hasScript

/** Runs the command on a separate terminal; `stdout` is the output on that terminal. */
export function runOnTerminal(
  argv: readonly string[],
  columns: number,
  settings: Readonly<Record<string, string>>,
): Promise<Ran> {
  const quoted = [SWAPTIDE, ...argv].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const line = `stty cols ${columns} && exec ${quoted}`
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, TERM: 'xterm', SHELL: '/bin/sh', ...settings }
  return finished(spawn('script', ['-qec', line, '/dev/null'], { env, stdio: 'pipe' }))
}
