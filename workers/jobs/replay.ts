/**
 * A replay that an operator asked for: published to a subject of his, from where its last run had come to. One whose
 * process ends is handed on, one whose process is lost goes on from the last second's position: what came out
 * behind that comes again.
 */

import type { Log } from '../../domain/log.ts'
import { JobLater, type JobRun } from '../../streams/jobs/job.ts'
import { connectJetStream } from '../../streams/nats/jetstream.ts'
import { ensureTopology } from '../../streams/nats/topology.ts'
import { outputSubject, replayPattern } from '../../streams/replay/replay-request.ts'
import { replay } from '../replay/replay.ts'
import { runReplay } from '../replay/runner.ts'
import { subjectOutput } from '../replay/subject-output.ts'
import type { JobFunction } from './job-function.ts'

/** Milliseconds between two looks whether somebody stopped it. */
const LOOK_MS = 500

export const replayAgain: JobFunction<'replay'> = async (payload, deps, signal, run) => {
  const { record, speed, toSubject } = payload
  const { db, log, streams } = deps
  if (streams === undefined) throw new Error('replay needs a connection to NATS: set NATS_URL')
  const { natsUrl, ...asked } = streams
  const stop = new AbortController()
  if (await run.isStopped()) return
  const jetStream = await connectJetStream(natsUrl, { name: 'swaptide replay', log })
  const looking = watch(run, stop, log)
  try {
    const topology = await ensureTopology(jetStream, asked)
    // Asked for properly, but whoever has the board of the queues may have changed it since.
    const refuse = (name: string, reason: string) => new Error(`${name}: ${reason}`)
    const subject = outputSubject(toSubject, topology.prefix, refuse)
    const pattern = replayPattern(record.plan, topology.laneCount, refuse)
    const onLost = (lost: object) => log.error(lost, 'replay lacks messages that the stream lost')
    const replayDeps = { db, jetStream, topology, onLost }
    const steps = replay(replayDeps, record.plan, pattern, record.position)
    const { end } = await runReplay(steps, record, {
      output: await subjectOutput(jetStream, subject, record.run),
      keep: (kept) => run.keep({ ...payload, record: kept }),
      speed: speed ?? Number.POSITIVE_INFINITY,
      signal: AbortSignal.any([stop.signal, run.ending, signal]),
    })
    if (end !== 'done' && !stop.signal.aborted) throw new JobLater('the process of the replay ends')
  } finally {
    clearInterval(looking)
    await jetStream.close()
  }
}

function watch(run: JobRun, stop: AbortController, log: Log): NodeJS.Timeout {
  return setInterval(() => {
    run.isStopped().then(
      (isStopped) => isStopped && stop.abort(),
      (err: unknown) => log.warn({ err }, 'failed to check for a stop of the replay'),
    )
  }, LOOK_MS)
}
