/** Calibration of the bench: its sentence, and that each figure is measured. How large they are is never judged. */
import { tmpdir } from 'node:os'
import test from 'ava'
import { calibrate, calibrationText, commitOfBench } from '../../../bench/measure/calibration.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'

test('writes a calibration as one sentence', (t) => {
  const found = { loopCpuMs: 25.04, loopMs: 50.06, pageTouchMicros: 0.256, fsyncMs: 1.5, load: 3 }
  t.is(
    calibrationText(found),
    'Calibration: loop 25.0 ms of CPU in 50.1 ms, first touch of a page 0.26 us, fsync 1.50 ms, load 3.0 before the first round.',
  )
})

test('measures every figure of the machine', async (t) => {
  const { load, ...taken } = calibrate(await temporaryFolder(t))
  t.true(load >= 0)
  for (const [name, value] of Object.entries(taken)) t.true(value > 0, `${name}: ${value}`)
})

test('names the commit, or that there is none', (t) => {
  t.regex(commitOfBench(), /^([0-9a-f]{8,}( with changes)?|unknown)$/)
  t.is(commitOfBench(tmpdir()), 'unknown')
})
