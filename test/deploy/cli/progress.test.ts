/** The running line of long work, on a terminal and in a pipe. */
import test from 'ava'
import fc from 'fast-check'
import { aboveProgress, createProgress } from '../../../deploy/cli/progress.ts'
import { screenOf } from '../../support/deploy/screen.ts'

/** Without wrapping. */
const shown = (line: string) => `\r\x1b[K\x1b[?7l${line}\x1b[?7h`

function recorded(isTerminal: boolean) {
  const clock = { ms: 0 }
  let written = ''
  const progress = createProgress({
    write: (text) => {
      written += text
    },
    isTerminal,
    now: () => clock.ms,
  })
  return { clock, progress, written: () => written }
}

test('a terminal gets one line that is written over five times a second', (t) => {
  const { clock, progress, written } = recorded(true)
  for (clock.ms = 0; clock.ms <= 400; clock.ms += 50) progress.update(() => `at ${clock.ms}`)
  progress.clear()
  t.is(written(), `${shown('at 0')}${shown('at 200')}${shown('at 400')}\r\x1b[K`)
})

test('a pipe gets a plain line every five seconds, and none for short work', (t) => {
  const { clock, progress, written } = recorded(false)
  for (clock.ms = 0; clock.ms <= 11_000; clock.ms += 1000) progress.update(() => `at ${clock.ms}`)
  progress.clear()
  t.is(written(), 'at 5000\nat 10000\n')
})

test('a separate line does not end up in the running line', (t) => {
  const { progress, written } = recorded(true)
  progress.update(() => 'half way')
  progress.say('FILE:7 dex "11": expected 1 to 10')
  t.is(written(), `${shown('half way')}\r\x1b[KFILE:7 dex "11": expected 1 to 10\n`)
})

test('output in any order leaves only its lines on the screen', (t) => {
  const line = fc.string({ unit: fc.constantFrom(...'ab é漢\t\x1b['), maxLength: 60 })
  const step = fc.record({ kind: fc.constantFrom('update', 'say', 'stdout', 'stderr'), line })
  const property = fc.property(
    fc.array(step),
    fc.integer({ min: 1, max: 50 }),
    (steps, columns) => {
      const clock = { ms: 0 }
      let written = ''
      const terminal = {
        write(text: string | Uint8Array) {
          written += text
          return true
        },
      }
      const now = () => clock.ms
      const progress = createProgress({
        ...{ write: terminal.write, isTerminal: true, now },
        columns: () => columns,
      })
      const output = aboveProgress(terminal, progress)
      let plain = ''
      for (const { kind, line: text } of steps) {
        clock.ms += 500
        if (kind === 'update') {
          progress.update(() => text)
          continue
        }
        const printed = text.replaceAll(/\p{Cc}/gu, '')
        plain += `${printed}\n`
        if (kind === 'say') progress.say(printed)
        else output.write(`${printed}\n`)
      }
      progress.clear()
      t.deepEqual(screenOf(written, columns), screenOf(plain, columns))
    },
  )
  fc.assert(property)
})

test('cuts the running line to the terminal, and escapes controls of a file name', (t) => {
  let written = ''
  const write = (text: string) => {
    written += text
  }
  const progress = createProgress({ write, isTerminal: true, now: () => 0, columns: () => 12 })
  progress.update(() => 'a\nb\x1b[2J.ndjson: 45 %')
  t.is(written, shown('a?b?[2J.ndj'))
})
