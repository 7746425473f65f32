/**
 * The dry run: deliveries that a webhook would have been sent from a position of FEED to its end at the call. Reads by the
 * functions of the sender, so that ids and bodies are equal.
 */
import type { VenueNaming } from '../../domain/venue.ts'
import type { FeedHub } from '../feed/log/hub-interface.ts'
import { type Delivery, type Selection, selectorOf } from './webhook.ts'

/** Deliveries of the messages after a sequence. Throws FeedExpired where FEED no longer holds them. */
export async function* previewDeliveries(
  hub: FeedHub,
  selection: Selection,
  after: number,
  { naming = 'ids', signal }: { naming?: VenueNaming; signal: AbortSignal },
): AsyncGenerator<Delivery, void, undefined> {
  const head = hub.head()
  if (after >= head) return
  const select = selectorOf(selection, naming)
  for await (const batch of hub.readFrom(after + 1, signal)) {
    yield* select(batch, hub.epoch).deliveries
    if (batch.sequence >= head) return
  }
}
