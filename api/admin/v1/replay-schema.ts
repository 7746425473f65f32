/** Parameters and answers of /admin/v1/replays. */
import Type from 'typebox'
import { REPLAY_STATES } from '../../../streams/jobs/job.ts'
import { EVERYTHING } from '../../../streams/nats/subject.ts'
import { nullable } from '../../routing/schema.ts'

const SUBJECT_LENGTH_MAX = 200

const id = Type.String({
  format: 'plain-text',
  minLength: 1,
  maxLength: 36,
  description: 'Id of the replay',
})
const bound = (description: string) =>
  Type.Optional(
    Type.String({
      format: 'plain-text',
      maxLength: 40,
      description:
        `${description}: ISO 8601 with a zone, a date (in UTC), Unix ms, or a sequence of the stream as ` +
        'sequence:N or, below 10^9, as a number; inclusive',
    }),
  )

export const ofReplay = Type.Object({ id })
export const newReplay = Type.Object({
  subject: Type.String({
    format: 'plain-text',
    default: EVERYTHING,
    minLength: 1,
    maxLength: SUBJECT_LENGTH_MAX,
    description:
      'Events to replay: feed. for committed ones, swap. for ingested ones; * matches any part, > the rest',
  }),
  from: bound('Time of the first events, absent: from the beginning'),
  to: bound('Time of the last, absent: up to now'),
  speed: Type.String({
    format: 'plain-text',
    default: 'max',
    maxLength: 20,
    description: 'Times the pace of the events, or max',
  }),
  to_subject: Type.String({
    format: 'plain-text',
    minLength: 1,
    maxLength: SUBJECT_LENGTH_MAX,
    description:
      'Where each event is published as a line of the ingest format; none of our own streams',
  }),
})

const replay = Type.Object(
  {
    id,
    state: Type.Enum([...REPLAY_STATES], {
      description: 'paused: an attempt failed and the next is to come; stopped: by an operator',
    }),
    subject: Type.String(),
    to_subject: Type.String(),
    from: nullable(Type.String({ description: 'A time, or a sequence' })),
    to: nullable(Type.String({ description: 'The same' })),
    speed: nullable(Type.Number({ description: 'Null: as fast as it goes' })),
    events: Type.Integer({ minimum: 0, description: 'Published so far' }),
    phase: Type.Enum(['tokens', 'tables', 'stream', 'done'], {
      description: 'Token lines come first, then events of the tables, then those of the stream',
    }),
    slot: nullable(Type.Integer({ description: 'In the tables: all up to it is published' })),
    sequence: nullable(Type.Integer({ description: 'In the stream: all up to it is published' })),
    end_sequence: nullable(Type.Integer({ description: 'The last that is to come' })),
    asked_at: Type.String({ format: 'date-time' }),
    ended_at: nullable(Type.String({ format: 'date-time' })),
    failure: nullable(Type.String({ description: 'Why its last attempt failed' })),
  },
  { title: 'Replay' },
)
export const startedReplay = Type.Object({ success: Type.Literal(true), data: replay })
export const replayList = Type.Object({ success: Type.Literal(true), data: Type.Array(replay) })
export const stoppedReplay = Type.Object({
  success: Type.Literal(true),
  data: Type.Object({ id, stopped: Type.Literal(true) }, { title: 'StoppedReplay' }),
})
