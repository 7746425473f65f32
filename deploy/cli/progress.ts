/**
 * Progress of long work: one line that is overwritten on a terminal, a plain line every few seconds where the output
 * goes to a file or a pipe.
 *
 * Law: no other output is mixed into the running line. Each command has one progress, and all its output (results,
 * refusals, the log) goes through `aboveProgress`, which clears the line first. The line never wraps, because only the
 * row of the cursor can be cleared.
 */

export type Progress = {
  /** Calls for the text only when it is time to show it. */
  update(text: () => string): void
  /** Writes a separate line, which stays. */
  say(line: string): void
  /** Clears the running line; the next update shows it again. */
  clear(): void
}

type ProgressOptions = {
  write: (text: string) => void
  isTerminal: boolean
  /** Milliseconds of any steady clock. */
  now: () => number
  /** Width of the terminal now; without an answer: 80. */
  columns?: () => number | undefined
}

/** Where a command writes. */
export type Output = {
  write(chunk: string | Uint8Array, done?: (error?: Error | null) => void): boolean
}

const TERMINAL_EVERY_MS = 200
const PLAIN_EVERY_MS = 5_000
const COLUMNS = 80
const ERASE_LINE = '\r\x1b[K'
/** Characters of two columns would make a line that was cut by their number wrap. */
const [WRAP_OFF, WRAP_ON] = ['\x1b[?7l', '\x1b[?7h']

export function createProgress({ write, isTerminal, now, columns }: ProgressOptions): Progress {
  const everyMs = isTerminal ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : now()
  let isLineShown = false

  const clear = (): void => {
    if (isLineShown) write(ERASE_LINE)
    isLineShown = false
  }

  return {
    update(text) {
      const at = now()
      if (at - shownAt < everyMs) return
      shownAt = at
      const line = onOneRow(text())
      if (isTerminal) {
        const shown = Array.from(line).slice(0, (columns?.() || COLUMNS) - 1)
        write(`${ERASE_LINE}${WRAP_OFF}${shown.join('')}${WRAP_ON}`)
        isLineShown = true
      } else {
        write(`${line}\n`)
      }
    },
    say(line) {
      clear()
      write(`${line}\n`)
    },
    clear,
  }
}

/** The output, with the running line out of its way. */
export function aboveProgress(output: Output, progress: Pick<Progress, 'clear'>): Output {
  return {
    write(chunk, done) {
      progress.clear()
      return output.write(chunk, done)
    },
  }
}

/** A file's name may hold control sequences that move the cursor. */
function onOneRow(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '?')
}

/** Writes lines and waits for the reader; false once the reader went away. */
export function lineWriter(stdout: Output): (lines: readonly string[]) => Promise<boolean> {
  return (lines) =>
    new Promise((resolve) => {
      if (lines.length === 0) resolve(true)
      else stdout.write(`${lines.join('\n')}\n`, (error) => resolve(!error))
    })
}
