/** Answers of coverage, and the gaps that other answers report. */
import Type, { type Static } from 'typebox'
import { HISTORY_FIELDS } from '../../routing/reading/history.ts'
import { count, nullable, venueName } from '../../routing/schema.ts'

export const ofNothing = Type.Object({})

const venues = Type.Array(venueName('Venue by name'), {
  description: 'Names of venues, in the order of DexId',
})
const gapSlots = {
  venues,
  from_slot: count({ description: 'First slot that was not read' }),
  to_slot: count({ description: 'Last slot that was not read' }),
}

const range = Type.Object(
  {
    venues,
    from_slot: count({ description: 'First slot' }),
    to_slot: count({ description: 'Last slot, inclusive' }),
    swaps: count({ description: 'Swaps in these slots' }),
    decoder_version: Type.Integer({ description: 'Version of the decoder that read them' }),
    source: Type.String({ description: 'backfill, rpc or geyser' }),
    commitment: Type.String({ description: 'Commitment of the blocks: confirmed or finalized' }),
  },
  { $id: 'CoverageRange' },
)

const slotGap = Type.Object(gapSlots, { $id: 'CoverageSlots' })

export const coverageLists = Type.Object(
  {
    ranges: Type.Array(range, {
      description: 'Ascending; those of different venues, decoders or sources may overlap',
    }),
    gaps: Type.Array(slotGap, {
      description: 'Slots between the first and the last one of these venues that were not read',
    }),
    ...HISTORY_FIELDS,
  },
  { title: 'Coverage' },
)

export const coverage = Type.Object({ success: Type.Literal(true), data: coverageLists })

export const coverageGap = Type.Object(
  {
    ...gapSlots,
    from_timestamp: nullable(
      count({ description: 'Unix ms of the newest indexed swap before the gap' }),
    ),
    to_timestamp: nullable(
      count({ description: 'Unix ms of the first indexed swap after the gap; null before it' }),
    ),
  },
  { $id: 'CoverageGap' },
)
export type PresentedGap = Static<typeof coverageGap>

/** In answers that fold a range of the history. */
export const coverageGaps = (range: string) =>
  Type.Optional(
    Type.Array(coverageGap, {
      description:
        `Slots of the chain that were not read and lie in ${range}, ascending. Of more than 100 gaps, the oldest are merged ` +
        'into one that spans them. Swaps that were ingested as lines do not close a gap. ' +
        'Absent where no slot was read from the chain, because all swaps were ingested',
    }),
  )
