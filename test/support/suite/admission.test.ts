/** The number of test files at once: a fixed one, and further files only while cores are idle. */
import test from 'ava'
import { Admission, FURTHER_MAX } from '../check/admission/admission.ts'

const AT_ONCE = 4
const FILES = 10
/** Milliseconds of two cores between two samples. */
const ALL_MS = 10_000

/** Files that wait to be admitted on a machine with this idle share, and those that have begun. */
function admissionOn(machine: { idleShare: number }) {
  let sampled = { idleMs: 0, allMs: 0 }
  const admission = new Admission(AT_ONCE, () => {
    const { idleMs, allMs } = sampled
    sampled = { idleMs: idleMs + machine.idleShare * ALL_MS, allMs: allMs + ALL_MS }
    return sampled
  })
  const begun: number[] = []
  const ends = Array.from({ length: FILES }, (_, file) => admission.enter(() => begun.push(file)))
  return { admission, begun, ends }
}

test('a fixed number of files begins at once, and the next one when one of them has ended', (t) => {
  const { begun, ends } = admissionOn({ idleShare: 0 })
  t.deepEqual(begun, [0, 1, 2, 3])
  ends[2]?.()
  t.deepEqual(begun, [0, 1, 2, 3, 4])
  // A second end of the same file is none.
  ends[2]?.()
  ends[7]?.()
  t.deepEqual(begun, [0, 1, 2, 3, 4], 'a file that waits makes no room')
  for (const at of [0, 1, 3, 4, 5, 6]) ends[at]?.()
  t.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6, 8, 9])
})

test('a further file begins at each sample with an idle core, up to a bound', (t) => {
  const machine = { idleShare: 0.1 }
  const { admission, begun, ends } = admissionOn(machine)
  admission.sample()
  t.is(begun.length, AT_ONCE, 'both cores are busy')
  machine.idleShare = 0.5
  admission.sample()
  t.is(begun.length, AT_ONCE + 1)
  for (let sample = 0; sample < FILES; sample++) admission.sample()
  t.is(begun.length, AT_ONCE + FURTHER_MAX)
  // The cores are busy again: the run returns to its number.
  machine.idleShare = 0
  admission.sample()
  for (const at of [0, 1]) ends[at]?.()
  t.is(begun.length, AT_ONCE + FURTHER_MAX)
  ends[2]?.()
  t.is(begun.length, AT_ONCE + FURTHER_MAX + 1)
})
