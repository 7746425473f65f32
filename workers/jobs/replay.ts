/**
 * A replay that an operator requested: published to the subject named in the request, from the position that its last
 * run reached. A process that shuts down hands its replay on; after a lost process the replay resumes from the position
 * stored in its last second, and events published after that position are published again.
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

/** Milliseconds between two polls for a stop. */
const LOOK_MS = 500

export const replayAgain: JobFunction<'replay'> = async (payload, deps, signal, run) => {
  const { record, speed, toSubject } = payload
  const { db, log, streams } = deps
  if (streams === undefined) throw new Error('replay needs a connection to NATS: set NATS_URL')
  const { natsUrl, ...installation } = streams
  const stop = new AbortController()
  if (await run.isStopped()) return
  const jetStream = await connectJetStream(natsUrl, { name: 'swaptide replay', log })
  const looking = watch(run, stop, log)
  try {
    const topology = await ensureTopology(jetStream, installation)
    // Checked again: the admin API validated the request, but a user of the queue dashboard may have edited the job
    // since.
    const refuse = (name: string, reason: string) => new Error(`${name}: ${reason}`)
    const subject = outputSubject(toSubject, topology.prefix, refuse)
    const pattern = replayPattern(record.plan, topology.laneCount, refuse)
    const onLost = (lost: object) => log.error(lost, 'replay lacks messages that the stream lost')
    const replayDeps = { db, jetStream, topology, onLost }
    const steps = replay(replayDeps, record.plan, pattern, record.position)
    const { end } = await runReplay(steps, record, {
      output: await subjectOutput(jetStream, subject, record.run),
      keep: (reached) => run.keep({ ...payload, record: reached }),
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
