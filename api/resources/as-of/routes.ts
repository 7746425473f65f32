/** REST of the slot at which a page reads all its figures. */
import { readLatestTime } from '../../../history/swaps/slots.ts'
import { inFeedSnapshot } from '../../routing/reading/feed-list.ts'
import { type Route, route } from '../../routing/route.ts'
import type { CoverageGaps } from '../coverage/gaps.ts'
import { currentSlot, type LeastSlotAfter, readProgress } from './current-slot.ts'
import { currentSlot as answer, ofNothing } from './schema.ts'

type SlotDeps = {
  gaps: CoverageGaps
  /** Absent: this process reads no FEED. */
  leastSlotAfter?: LeastSlotAfter | undefined
}

export function slotRoutes({ gaps, leastSlotAfter = noFeed }: SlotDeps): Route[] {
  const slots = route({
    path: '/api/v1/slot',
    operationId: 'getCurrentSlot',
    isOnPages: true,
    graphqlField: 'currentSlot',
    topic: { listedAt: 155, description: 'The slot that answers are of' },
    family: 'enveloped',
    summary: 'The newest slot up to which every worker has applied all that is indexed',
    description:
      'Answers that are read with it as as_of_slot are of one moment, and the feed continues them from cursor. held_by states what ' +
      'is between it and the newest indexed slot: a worker that has events left to apply, or a gap of the coverage within the last ' +
      '64 slots, which a source may be about to fill. An older gap does not hold it; coverage_gaps of an answer as of the slot lists it.',
    parameters: ofNothing,
    answer,
    errors: ['GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
    example: {},
    respond: (_, { near, signal }) =>
      near((db, position) =>
        inFeedSnapshot(db, position, async (cursor) => {
          const progress = await readProgress(db, gaps)
          const reads = { position, leastSlotAfter, signal }
          const { slot, newest, held } = await currentSlot(progress, reads)
          const timestamp = slot === null ? null : await readLatestTime(db, slot)
          const found = { slot, timestamp, cursor, newest_slot: newest, held_by: held }
          return { success: true as const, data: found }
        }),
      ),
  })
  return [slots]
}

const noFeed: LeastSlotAfter = async () => null
