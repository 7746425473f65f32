/**
 * /admin/v1/replays: a job publishes stored history again to a subject of its own. It resumes from its progress
 * when its process ends or crashes, and operators see that progress.
 */
import Type from 'typebox'
import type { ReplayJob } from '../../../streams/jobs/job.ts'
import { venuePattern } from '../../../streams/nats/subject.ts'
import type { ReplayBounds } from '../../../streams/replay/replay.ts'
import { sequenceText } from '../../../streams/replay/replay-request.ts'
import { ApiError } from '../../routing/error.ts'
import { type Route, route } from '../../routing/route.ts'
import type { Operations } from '../operations.ts'
import { BY, changing, common } from '../operator-route.ts'
import { newReplay, ofReplay, replayList, startedReplay, stoppedReplay } from './replay-schema.ts'

/** Id of no replay. */
const NO_REPLAY = '00000000-0000-4000-8000-000000000000'

export function replayRoutes({ replays }: Operations): Route[] {
  return [
    route({
      ...common,
      path: '/admin/v1/replays',
      operationId: 'listReplays',
      summary: 'Replays that run, wait, or ended within a week, newest first',
      parameters: Type.Object({}),
      answer: replayList,
      example: {},
      async respond() {
        return { success: true as const, data: (await replays.list()).map(presentReplay) }
      },
    }),
    route({
      ...changing,
      errors: [...common.errors, 'FORBIDDEN', 'MISSING_PARAM'],
      path: '/admin/v1/replays',
      operationId: 'startReplay',
      summary: 'Starts a replay',
      description:
        'Each event is a message, in the ingest format. Where a stream stores the subject, it acknowledges ' +
        'each message and drops those that are published again after an interruption as duplicates; ' +
        'without one, subscribers of the subject receive them.',
      parameters: newReplay,
      answer: startedReplay,
      example: ({ protocol }) => ({
        subject: venuePattern(protocol),
        speed: '10',
        to_subject: `replay.${protocol}`,
      }),
      async respond(request) {
        return { success: true as const, data: presentReplay(await replays.start(request, BY)) }
      },
    }),
    route({
      ...changing,
      method: 'delete',
      path: '/admin/v1/replays/{id}',
      operationId: 'stopReplay',
      summary: 'Stops a replay, within a second',
      description: 'One that does not run is forgotten.',
      parameters: ofReplay,
      answer: stoppedReplay,
      example: { id: NO_REPLAY },
      async respond({ id }) {
        if (await replays.stop(id, BY)) {
          return { success: true as const, data: { id, stopped: true as const } }
        }
        throw new ApiError('NOT_FOUND', `replay "${id}" not found`)
      },
    }),
  ]
}

function presentReplay(job: ReplayJob) {
  const { plan, position, run, events } = job.record
  const { phase, slot, sequence, endSequence } = position
  const isStream = phase === 'stream' || phase === 'done'
  return {
    id: run,
    state: job.state,
    subject: plan.subject,
    to_subject: job.toSubject,
    from: boundText(plan, 'from'),
    to: boundText(plan, 'to'),
    speed: job.speed,
    events,
    phase,
    slot: phase === 'tables' ? slot : null,
    sequence: isStream ? sequence : null,
    end_sequence: isStream ? endSequence : null,
    asked_at: new Date(job.asked_ms).toISOString(),
    ended_at: job.ended_ms === null ? null : new Date(job.ended_ms).toISOString(),
    failure: job.failure,
  }
}

function boundText(bounds: ReplayBounds, name: 'from' | 'to'): string | null {
  const atMs = bounds[`${name}Ms`]
  if (atMs !== null) return new Date(atMs).toISOString()
  const sequence = bounds[`${name}Sequence`]
  return sequence === null ? null : sequenceText(sequence)
}
