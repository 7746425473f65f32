/** Answer of /admin/v1/history. */
import Type, { type Static } from 'typebox'
import { HOLDER_KINDS, REFUSAL_KINDS, SEAL_OUTCOMES } from '../../../history/operating/state.ts'
import { WAIT_CAUSES } from '../../../history/sealing/wait.ts'
import { count, nullable } from '../../routing/schema.ts'

const time = (description: string) => Type.String({ format: 'date-time', description })
const age = (description: string) => Type.Number({ minimum: 0, description })
const cause = (description: string) => Type.Enum([...WAIT_CAUSES], { description })

const CAUSES =
  'unpublished_commit: of a pool lane; pool_repair, retraction: not applied yet; waiting_session: another session waits for a ' +
  'row that is being sealed; older_version: migrate has not applied the removals of this version; other_sealer: another process seals'

const seal = Type.Object(
  {
    hours: nullable(count({ description: 'SEAL_AFTER_HOURS; null: not set' })),
    outcome: Type.Enum([...SEAL_OUTCOMES], {
      description: 'How the newest run that ended did so; running: none has ended yet',
    }),
    cause: nullable(cause('Why it waits')),
    reason: nullable(Type.String({ description: 'The cause, or the error, in words' })),
    since: time('End of the first run in a row with this outcome and cause'),
    since_age_ms: age('Milliseconds since then'),
    started_at: time('Begin of the newest run'),
    ended_at: nullable(time('Its end; null: it runs, or was killed')),
    caught_up_age_ms: nullable(
      age('Milliseconds since nothing was left to seal, or since sealing was switched on'),
    ),
  },
  { title: 'SealRun' },
)

const holder = Type.Object(
  {
    kind: Type.Enum([...HOLDER_KINDS], {
      description: 'A session, a prepared transaction, a standby, or a replication slot',
    }),
    name: Type.String({ description: 'Name of the session, transaction, standby or slot' }),
    age_ms: nullable(age('Milliseconds since its transaction began; null: not known here')),
    transactions: count({ description: 'Transactions that began since' }),
  },
  { title: 'SnapshotHolder' },
)

export const historyState = Type.Object({
  success: Type.Literal(true),
  data: Type.Object(
    {
      segments: count({ description: 'Segments of sealed history' }),
      sealed_swaps: count({ description: 'Swaps in segments, gone rows included' }),
      bytes: count({ description: 'Bytes of blocks, postings and their indexes' }),
      bytes_per_swap: nullable(Type.Number({ description: 'Null: nothing is sealed' })),
      first_slot: nullable(count({ description: 'First sealed slot' })),
      last_slot: nullable(count({ description: 'The boundary: last sealed slot' })),
      boundary_age_ms: nullable(age('Milliseconds since the last swap near the boundary')),
      sealed_at: nullable(time('When the newest segment was written')),
      late_rows: count({
        description:
          'Rows of the table at or below the boundary: late swaps, ties, those that were moved back; as the statistics of the server have them',
      }),
      gone_rows: count({ description: 'Rows of segments that were moved back to the table' }),
      seal: nullable(seal),
      waits: Type.Array(
        Type.Object(
          {
            cause: cause(CAUSES),
            waits: count({ description: 'Runs of the sealer that ended so' }),
            waited_at: time('End of the newest'),
          },
          { title: 'SealWaits' },
        ),
        { description: 'Newest first' },
      ),
      verification: nullable(
        Type.Object(
          {
            segments: count({ description: 'Segments that were verified' }),
            damaged: count({ description: 'Segments that are damaged' }),
            reason: nullable(Type.String({ description: 'The first damage' })),
            ended_at: time('End of the newest verification'),
            ended_age_ms: age('Milliseconds since then'),
          },
          { title: 'HistoryVerification' },
        ),
      ),
      holders: Type.Array(holder, {
        description:
          'The oldest snapshots, for which space of sealed rows is retained; five at most',
      }),
      dropping: nullable(
        Type.Object(
          {
            days: count({ description: 'HISTORY_DAYS' }),
            since_slot: count({
              description: 'Lowest slot of which swaps are stored; 0: none was dropped',
            }),
            since_ms: count({ description: 'Unix ms before which all dropped swaps are' }),
            dropped_swaps: count({ description: 'Swaps that were dropped' }),
            begun_ms: count({
              description: 'Unix ms of the newest swap when the setting was first read',
            }),
            dropped_at: nullable(time('The newest drop')),
          },
          { title: 'HistoryDropping', description: 'Null: no swap is to be dropped' },
        ),
      ),
      refusals: Type.Array(
        Type.Object(
          {
            kind: Type.Enum([...REFUSAL_KINDS], {
              description:
                'event: a swap or pool event of a dropped slot; position: swaps that a position could not be recomputed with',
            }),
            refused: count({ description: 'How many' }),
            slot: count({ description: 'Slot of the newest' }),
            subject: Type.String({ description: 'Signature or wallet of the newest' }),
            refused_at: time('The newest'),
          },
          { title: 'HistoryRefusal' },
        ),
        { description: 'Refusals of what needs dropped swaps, by kind' },
      ),
    },
    { title: 'SealedHistory' },
  ),
})
export type PresentedHistory = Static<typeof historyState>['data']
