/** Takes a whole core, at the priority of the others, until it is stopped. */
import { setImmediate as turn } from 'node:timers/promises'
import { sendToStarter, untilStopRequested } from './program.ts'

export type BusyMessage = { kind: 'ready' }

/** Signals arrive between two stretches. */
const STRETCH_MS = 5

let isStopped = false
sendToStarter<BusyMessage>({ kind: 'ready' })
void untilStopRequested().then(() => {
  isStopped = true
})
while (!isStopped) {
  const untilMs = performance.now() + STRETCH_MS
  while (performance.now() < untilMs);
  await turn()
}
process.disconnect?.()
