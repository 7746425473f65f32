/**
 * Ava, with admission (admission/admission.ts) and a limit of time (threads.ts) for each test file, and room for young objects in its
 * thread. V8 begins a thread with 1 MiB of them and collects dozens of times while the thread loads what its test imports.
 * On ava's own command line its threads refuse the flag.
 */
import { setFlagsFromString } from 'node:v8'
import { ADMITTED_VARIABLE, Admission } from './admission/admission.ts'
import { limitThreads } from './threads.ts'

const admitted = Number(process.env[ADMITTED_VARIABLE] ?? Number.POSITIVE_INFINITY)
const admission = new Admission(admitted)
// Ava of a test, with files of its own, admits all of them.
delete process.env[ADMITTED_VARIABLE]
admission.watchCores()
limitThreads(admission)
setFlagsFromString('--min-semi-space-size=16')
await import(new URL('../../../node_modules/ava/entrypoints/cli.js', import.meta.url).href)
