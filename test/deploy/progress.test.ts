/** The running line of long work, on a terminal and in a pipe. */
import test from 'ava'
import { createProgress } from '../../deploy/progress.ts'

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
  progress.end()
  t.is(written(), '\r\x1b[Kat 0\r\x1b[Kat 200\r\x1b[Kat 400\r\x1b[K')
})

test('a pipe gets a plain line every five seconds, and none for short work', (t) => {
  const { clock, progress, written } = recorded(false)
  for (clock.ms = 0; clock.ms <= 11_000; clock.ms += 1000) progress.update(() => `at ${clock.ms}`)
  progress.end()
  t.is(written(), 'at 5000\nat 10000\n')
})

test('a line of its own does not end up in the running line', (t) => {
  const { progress, written } = recorded(true)
  progress.update(() => 'half way')
  progress.say('FILE:7 dex "11": expected 1 to 10')
  t.is(written(), '\r\x1b[Khalf way\r\x1b[KFILE:7 dex "11": expected 1 to 10\n')
})
