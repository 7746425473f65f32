/**
 * A worker as a program of the benchmark: says `done` when it has committed and announced as many events
 * as it was told to expect.
 */
import type { Log } from '../../streams/log.ts'
import { startWorker } from '../../workers/main.ts'
import { sharedClockMs } from './measurement.ts'
import { programLog, programOptions, say, untilAskedToEnd } from './program.ts'

export type WorkerSaid =
  | { kind: 'ready' }
  | { kind: 'done'; atMs: number; commits: number; events: number }
  | { kind: 'state'; events: number; commits: number; rssBytes: number }

type Options = { databaseUrl: string; natsUrl: string; prefix: string; laneCount: number }

const options = programOptions<Options>()
let expected = Number.POSITIVE_INFINITY
let events = 0
let commits = 0
let announced = 0

function sayIfDone(): void {
  if (events < expected || announced < commits) return
  expected = Number.POSITIVE_INFINITY
  say<WorkerSaid>({ kind: 'done', atMs: sharedClockMs(), commits, events })
}

// The runtime's line about a commit follows the begin of its announcement.
const log: Log = {
  ...programLog,
  debug: (fields: object | string) => {
    if (typeof fields === 'string' || !('events' in fields)) return
    events += Number(fields.events)
    commits += 1
    sayIfDone()
  },
}

const worker = await startWorker({
  ...options,
  actors: ['pool'],
  log,
  onStep: (step) => {
    if (step !== 'announced') return
    announced += 1
    sayIfDone()
  },
})
worker.failed.catch((error) => {
  console.error(error)
  process.exit(1)
})
process.on('message', (message: { kind: string; events: number }) => {
  if (message.kind === 'expect') {
    expected = message.events
    sayIfDone()
  } else if (message.kind === 'state') {
    say<WorkerSaid>({
      kind: 'state',
      events,
      commits,
      rssBytes: process.memoryUsage.rss(),
    })
  }
})
say<WorkerSaid>({ kind: 'ready' })
await untilAskedToEnd()
await worker.stop()
process.disconnect?.()
