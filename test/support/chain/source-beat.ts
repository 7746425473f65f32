/** A heartbeat of a source of chain data, for tests of those that read it. */
import { randomUUID } from 'node:crypto'
import { ALL_VENUE_BITS } from '../../../domain/coverage.ts'
import type { SourceBeat } from '../../../sql/chain/sources.ts'

/** One that follows the chain, 3 slots before its newest one, with the given fields instead of its own. */
export function sourceBeat(fields: Partial<SourceBeat> = {}): SourceBeat {
  return {
    id: randomUUID(),
    ...{ kind: 'rpc', endpoint: 'node.example:8899', commitment: 'confirmed' },
    ...{ venues: ALL_VENUE_BITS, decoder_version: 2, from_slot: null, to_slot: null },
    ...{ cursor_slot: 397, newest_slot: 400, newest_block_ms: Date.now() - 1_500 },
    ...{ slots: 90, skipped_slots: 9, swaps: 1_234, pool_events: 5, tokens: 2 },
    ...{ rejects: { no_sol_side: 70, no_event: 3 }, mismatches: { venue_4: 1 } },
    ...{ retries: 2, requests: 100, throttled_requests: 4, failed_requests: 1 },
    ...{ slots_per_second: 2.5, swaps_per_second: 31.25 },
    ...{ last_error: 'no answer in time', last_error_at: new Date(), started_at: new Date() },
    ended_at: null,
    ...fields,
  }
}
