/**
 * Loaded before a program by deploy/swaptide (`up --tune`): lowers the priority of V8's background threads, which collect
 * garbage and compile. At the same priority as all others, those of one process occupy a core for a tenth of a second
 * now and then, and delay the answers of every other process.
 *
 * On Linux each thread has its own niceness; where threads have none, or other names, no priority changes.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

const THREADS = '/proc/self/task'
/** The name that Node gives to these threads. */
const BACKGROUND = 'V8Worker'
/** A third of the weight of a thread that answers: a collection that a request waits for must progress, too. */
const NICER = 5
const NICEST = 19

function threads(): string[] {
  try {
    return readdirSync(THREADS)
  } catch {
    return []
  }
}

const niceness = Math.min(getPriority() + NICER, NICEST)
for (const thread of threads()) {
  try {
    const name = readFileSync(`${THREADS}/${thread}/comm`, 'latin1').trimEnd()
    if (name === BACKGROUND) setPriority(Number(thread), niceness)
  } catch {
    // The thread has ended, or may not be changed: its priority stays.
  }
}
