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
    graphqlField: 'currentSlot',
    topic: { listedAt: 155, description: 'The slot that answers are of' },
    family: 'enveloped',
    summary: 'The newest slot up to which every worker has applied all that is indexed',
    description:
      'Answers that are read with it as as_of_slot are of one moment, and the feed continues them from cursor. Below any gap of ' +
      'the coverage.',
    parameters: ofNothing,
    answer,
    errors: ['GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
    example: {},
    respond: (_, { near, signal }) =>
      near((db, position) =>
        inFeedSnapshot(db, position, async (cursor) => {
          const progress = await readProgress(db, gaps)
          const slot = await currentSlot(progress, leastSlotAfter, signal)
          const timestamp = slot === null ? null : await readLatestTime(db, slot)
          return { success: true as const, data: { slot, timestamp, cursor } }
        }),
      ),
  })
  return [slots]
}

const noFeed: LeastSlotAfter = async () => null
