/** Holds up a test file in its thread until it is admitted (admission.ts): ava loads this module before the test. */
import { workerData } from 'node:worker_threads'

const admitted: Int32Array<SharedArrayBuffer> | undefined = workerData?.admitted
// Absent where ava was not started by ours.
if (admitted !== undefined) await Atomics.waitAsync(admitted, 0, 0).value
