/**
 * How far long work is: one line that is written over on a terminal, a plain line every few seconds
 * where the output goes to a file or a pipe. Lines of another kind go through `say`, so that they do
 * not end up in the middle of it.
 */

export type Progress = {
  /** Asks for the text only when it is time to show it. */
  update(text: () => string): void
  /** A line of its own, kept. */
  say(line: string): void
  /** Takes the running line away. */
  end(): void
}

export type ProgressOptions = {
  write: (text: string) => void
  isTerminal: boolean
  /** Milliseconds of any steady clock. */
  now: () => number
}

const TERMINAL_EVERY_MS = 200
const PLAIN_EVERY_MS = 5_000
const ERASE_LINE = '\r\x1b[K'

export function createProgress({ write, isTerminal, now }: ProgressOptions): Progress {
  const everyMs = isTerminal ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : now()
  let isLineShown = false

  const erase = (): void => {
    if (isLineShown) write(ERASE_LINE)
    isLineShown = false
  }

  return {
    update(text) {
      const at = now()
      if (at - shownAt < everyMs) return
      shownAt = at
      if (isTerminal) {
        write(`${ERASE_LINE}${text()}`)
        isLineShown = true
      } else {
        write(`${text()}\n`)
      }
    },
    say(line) {
      erase()
      write(`${line}\n`)
    },
    end: erase,
  }
}
