// Rows of sealed history as operators see it, without the blocks: figures of each kind, all other than 0.
import type { Queryable } from '../../../sql/driver/queryable.ts'

const SEGMENT_SWAPS = 2_000_000

/** Two segments, a sealer that waits for a retraction, and a verification that found damage. */
export async function pretendSealed(db: Queryable): Promise<void> {
  await db.query(`
    insert into segment (
      id, first_slot, last_slot, format, row_count, block_count, signature_bits, wallet_bits, gone_count, content_hash
    )
    values
      (1, 100, 199, 1, ${SEGMENT_SWAPS}, 21000, 12, 8, 0, 'a'), (2, 200, 299, 1, ${SEGMENT_SWAPS}, 21000, 12, 8, 37, 'b');
    insert into history_version (writer, version) values (-1, 2);
    insert into slot_span (lane, width, bucket, first_ms, last_ms)
      select 0, 100, 200, 0, (extract(epoch from now() - interval '30 hours') * 1000)::bigint;
    insert into history_run (kind, hours, outcome, cause, reason, since, ended_at, caught_up_at)
    values (
      'seal', 24, 'waits', 'retraction', 'a retraction is not applied', now() - interval '40 minutes', now(),
      now() - interval '3 hours'
    );
    insert into history_run (kind, outcome, reason, ended_at, segments, damaged)
    values ('verify', 'damaged', 'block 93 of segment 2 is damaged: its checksum is 1, expected 2', now(), 2, 1);
    insert into history_wait (cause, waits, waited_at)
    values ('retraction', 8, now()), ('unpublished_commit', 2, now() - interval '1 day');
  `)
}

/** Swaps that were dropped, and an event that was refused since. */
async function pretendDropped(db: Queryable): Promise<void> {
  await db.query(`
    insert into history_bound (since_slot, since_ms, dropped_swaps, days, begun_ms, dropped_at)
    values (50, 60000, ${SEGMENT_SWAPS}, 30, 0, now() - interval '2 days');
    insert into history_refusal (kind, lane, refused, slot, subject) values ('event', 0, 3, 40, 'a signature')
  `)
}

export async function pretendHistory(db: Queryable): Promise<void> {
  await pretendSealed(db)
  await pretendDropped(db)
}
