/** Replays requested through the API: planned at once, so that an impossible one is refused. */
import { addToAudit } from '../../api/admin/audit.ts'
import type { Operations } from '../../api/admin/operations.ts'
import { ApiError } from '../../api/routing/error.ts'
import type { Db } from '../../sql/db.ts'
import type { JobQueue } from '../../streams/jobs/bullmq.ts'
import type { ReplayPayload } from '../../streams/jobs/job.ts'
import type { JetStream } from '../../streams/nats/jetstream.ts'
import type { Topology } from '../../streams/nats/topology.ts'
import {
  outputSubject,
  type ReplayRequest,
  replayBounds,
  replayPattern,
  replaySpeed,
} from '../../streams/replay/replay-request.ts'
import { beginReplay } from '../../workers/replay/replay.ts'
import { ReplayRefused } from '../../workers/replay/stream-source.ts'

type Sources = { db: Db; jetStream: JetStream; topology: Topology; jobs: JobQueue }

export function replayOperations(sources: Sources): Operations['replays'] {
  const { db, jobs } = sources
  return {
    async start(request, by) {
      const payload = await payloadOf(request, sources)
      const { run, plan, output } = payload.record
      const target = `replay ${run} of ${plan.subject} to ${output}`
      await addToAudit(db, 'replay_started', [target], by)
      await jobs.replays.start(payload)
      const given = { state: 'waiting', failure: null, ended_ms: null } as const
      return { ...payload, ...given, asked_ms: Date.now() }
    },
    list: () => jobs.replays.list(),
    async stop(id, by) {
      const isKnown = await jobs.replays.stop(id)
      if (isKnown) await addToAudit(db, 'replay_stopped', [`replay ${id}`], by)
      return isKnown
    },
  }
}

async function payloadOf(
  request: ReplayRequest & { to_subject: string },
  { db, jetStream, topology }: Sources,
): Promise<ReplayPayload> {
  const refuse = (name: keyof ReplayRequest, reason: string) =>
    new ApiError('INVALID_PARAM', `${name} "${request[name]}": ${reason}`)
  const pattern = replayPattern(request, topology.laneCount, refuse)
  const bounds = replayBounds(request, refuse)
  const speed = replaySpeed(request, refuse)
  const toSubject = outputSubject(request.to_subject, topology.prefix, refuse)
  const deps = { db, jetStream, topology }
  const record = await beginReplay(deps, pattern, bounds, `subject ${toSubject}`).catch(
    (cause: unknown) => {
      if (!(cause instanceof ReplayRefused)) throw cause
      throw new ApiError('INVALID_PARAM', cause.message, { cause })
    },
  )
  return {
    record,
    speed: Number.isFinite(speed) ? speed : null,
    toSubject,
  }
}
