/** The parameters of a moment, the field `as_of` of answers to them, and the slot that a page reads all its figures at. */
import Type, { type Static } from 'typebox'
import { count, int64, nullable, toMs } from '../../routing/schema.ts'
import { coverageGap } from '../coverage/schema.ts'

const moment = (description: string) =>
  `${description}: the answer of an installation that was fed all stored events up to then, and nothing later. Retractions that are ` +
  'known now apply. Not together with the other of as_of_slot and as_of_time'

export const AS_OF_PARAMETERS = {
  as_of_slot: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: moment('As of the end of this slot'),
    }),
  ),
  as_of_time: Type.Optional({
    ...toMs,
    description: moment(
      'As of the last slot before the first swap that is later than this: Unix ms (not seconds), ISO 8601 with a zone, or the end of a date (in UTC)',
    ),
  }),
}

const cursor = nullable(
  Type.String({
    description:
      'Position in the feed up to which the answer had read; a later event at or before the slot changes the answer. null where ' +
      'there is no feed just now',
  }),
)

export const asOf = Type.Object(
  {
    slot: int64({
      minimum: -1,
      description:
        'Last slot whose events are in the answer; -1 for a time before a first swap of slot 0',
    }),
    timestamp: nullable(
      count({ description: 'Unix ms of the latest swap up to the slot; null before the first' }),
    ),
    cursor,
    settled: Type.Boolean({
      description:
        'Whether the slot is 64 or more below the finalized slots that were read from the chain, and none is missing up to it',
    }),
    coverage_gaps: Type.Array(coverageGap, {
      description:
        'Slots of the chain up to this one that were not read, ascending. Empty where no slot was read from the chain, because ' +
        'all swaps were ingested',
    }),
  },
  { title: 'AsOf' },
)
export type AsOfAnswer = Static<typeof asOf>

export const ofNothing = Type.Object({})

export const currentSlot = Type.Object({
  success: Type.Literal(true),
  data: Type.Object(
    {
      slot: nullable(
        count({
          description:
            'Highest slot up to which every worker has applied all events that are indexed; null before the first',
        }),
      ),
      timestamp: nullable(
        count({ description: 'Unix ms of the latest swap up to the slot; null before the first' }),
      ),
      cursor,
      newest_slot: nullable(count({ description: 'Newest indexed slot; null before the first' })),
      held_by: nullable(
        Type.Object(
          {
            by: Type.Enum(['pool', 'ledger', 'ranking', 'gap'], {
              description: 'The worker that has events left to apply, or a gap of the coverage',
            }),
            slot: count({ description: 'First slot that it lacks' }),
          },
          { title: 'SlotHold' },
        ),
      ),
    },
    { title: 'CurrentSlot' },
  ),
})
