/** A heartbeat of a source of chain data, and warnings that it stored, for tests of those that read them. */
import { randomUUID } from 'node:crypto'
import { addCoverage } from '../../../deploy/chain/coverage.ts'
import { ALL_VENUE_BITS } from '../../../domain/coverage.ts'
import type { SourceBeat } from '../../../sql/chain/sources.ts'
import type { Db } from '../../../sql/db.ts'

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

const KEY = {
  ...{ venues: ALL_VENUE_BITS, decoderVersion: 3, source: 'rpc', commitment: 'confirmed' },
}

/** An upgrade, an event that is not known, and of 400 swaps 100 that cannot be read. */
export async function addWarnings(db: Db): Promise<void> {
  const reads = [{ dex: 5 as const, swaps: 400, unreadable: 100, noSol: 0 }]
  await addCoverage(
    db,
    KEY,
    { from: 300, to: 302 },
    [],
    [
      {
        slot: 300,
        warnings: [{ kind: 'upgrade', dex: 5, subject: 'upgrade 5xSignature' }],
        reads: [],
      },
      {
        slot: 301,
        warnings: [{ kind: 'unknown_event', dex: 4, subject: 'fedcba9876543210' }],
        reads,
      },
    ],
  )
}
