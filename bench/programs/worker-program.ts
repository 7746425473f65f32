/**
 * A worker as a program of the benchmark: sends `done` when each actor has committed, and published, its expected
 * number of events.
 */
import type { Log } from '../../domain/log.ts'
import { startWorker } from '../../workers/main.ts'
import { sharedClockMs } from '../measure/sample.ts'
import { programLog, programOptions, sendToStarter, untilStopRequested } from './program.ts'

export type WorkerMessage =
  | { kind: 'ready' }
  | {
      kind: 'done'
      /** When the first message was received, and when the last was committed and published. */
      firstMs: number
      atMs: number
      commits: number
      events: number
      rssBytes: number
    }
  | { kind: 'state'; events: number; commits: number; rssBytes: number }

type Options = {
  databaseUrl: string
  natsUrl: string
  prefix: string
  laneCount: number
  actors: string[]
}

/** How many events each actor is to commit. */
type Expected = Readonly<Record<string, number>>

const options = programOptions<Options>()
let expected: Expected | undefined
const committed: Record<string, number> = {}
let events = 0
let commits = 0
let published = 0
let firstMs = Number.POSITIVE_INFINITY

function sayIfDone(): void {
  if (expected === undefined || published < commits) return
  for (const [actor, wanted] of Object.entries(expected)) {
    if ((committed[actor] ?? 0) < wanted) return
  }
  expected = undefined
  const rssBytes = process.memoryUsage.rss()
  sendToStarter<WorkerMessage>({
    kind: 'done',
    firstMs,
    atMs: sharedClockMs(),
    commits,
    events,
    rssBytes,
  })
}

// The runtime's line about a commit follows the begin of its publication.
const log: Log = {
  ...programLog,
  debug: (fields: object | string) => {
    if (typeof fields === 'string' || !('events' in fields && 'actor' in fields)) return
    const actor = String(fields.actor)
    events += Number(fields.events)
    committed[actor] = (committed[actor] ?? 0) + Number(fields.events)
    commits += 1
    sayIfDone()
  },
}

const worker = await startWorker({
  ...options,
  log,
  onStep: (step) => {
    if (step === 'pulled') firstMs = Math.min(firstMs, sharedClockMs())
    if (step !== 'published') return
    published += 1
    sayIfDone()
  },
})
worker.failed.catch((error) => {
  console.error(error)
  process.exit(1)
})
process.on('message', (message: { kind: 'expect'; events: Expected } | { kind: 'state' }) => {
  if (message.kind === 'expect') {
    expected = message.events
    sayIfDone()
  } else if (message.kind === 'state') {
    sendToStarter<WorkerMessage>({
      kind: 'state',
      events,
      commits,
      rssBytes: process.memoryUsage.rss(),
    })
  }
})
sendToStarter<WorkerMessage>({ kind: 'ready' })
await untilStopRequested()
await worker.stop()
process.disconnect?.()
