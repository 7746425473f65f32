/** Faults of workers, job workers and APIs. */
import type { Part } from '../part.ts'
import { anyOf, away, type Fault, type Struck, whileFrozen } from './fault.ts'

export const PART_FAULTS: readonly Fault[] = [
  { name: 'kill a worker', strike: (on, how) => killed([anyOf(how, on.workers)], how) },
  { name: 'kill an API', strike: (on, how) => killed([anyOf(how, on.apis)], how) },
  { name: 'kill a job worker', strike: (on, how) => killed([anyOf(how, on.jobs)], how) },
  { name: 'kill every part', strike: (on, how) => killed(on.parts, how) },
  { name: 'freeze a worker', strike: (on, how) => frozen(anyOf(how, on.workers), how) },
  { name: 'freeze an API', strike: (on, how) => frozen(anyOf(how, on.apis), how) },
]

async function killed(parts: readonly Part[], how: Struck): Promise<void> {
  await Promise.all(parts.map((part) => part.kill()))
  await away(how)
  for (const part of parts) part.start()
}

async function frozen(part: Part, how: Struck): Promise<void> {
  part.signal('SIGSTOP')
  await whileFrozen(how)
  part.signal('SIGCONT')
}
