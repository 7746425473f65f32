/**
 * A separate worker process, for tests that kill or freeze it:
 *   node worker.ts '{"databaseUrl": ..., "natsUrl": ..., "prefix": ..., "laneCount": 4, "leaseMs": 1500,
 *                    "fault": {"step": "written", "after": 2, "signal": "SIGKILL"}}'
 * Prints "ready" once it holds leases, its log as further lines, and "fault" just before it signals
 * itself. SIGTERM drains it; an assertion ends it with 1.
 */
import { writeSync } from 'node:fs'
import { startWorker } from '../../../workers/main.ts'
import type { Step } from '../../../workers/runtime/actor.ts'
import { recordingLog } from '../recording-log.ts'

export type Fault = {
  step: Step
  /** Steps of that name that pass before it. */
  after: number
  signal: 'SIGKILL' | 'SIGSTOP'
}

const { fault, ...options } = JSON.parse(process.argv[2] ?? '{}')
// Synchronously: lines printed before a SIGKILL are not lost.
const say = (line: string): void => {
  writeSync(1, `${line}\n`)
}
let left: number = fault?.after ?? 0
const worker = await startWorker({
  actors: ['pool'],
  // Many small commits, because injected crashes are counted by them.
  commitEveryMs: 0,
  ...options,
  log: recordingLog(say).log,
  onStep: (step) => {
    if (fault === undefined || step !== fault.step || left-- !== 0) return
    say('fault')
    process.kill(process.pid, fault.signal)
  },
})
worker.failed.catch((error: Error) => {
  say(`failed ${error.stack}`)
  process.exit(1)
})
process.once('SIGTERM', async () => {
  await worker.stop()
  say('stopped')
  process.exit(0)
})
say('ready')
