-- Swaps as the pools have counted them, dead letters of SWAP that were not sent again, conflicts that are listed.
-- Positions that wait for a recompute, lanes under audit. Messages that streams have lost, as lanes found in the last
-- seven days.
-- Result: swaps, dead_letters, conflicts, recomputes, audits, lost_messages, all bigint. Reads the whole of pool,
-- dead_letter and event_conflict.
select
  (select coalesce(sum(swap_count), 0)::bigint from pool) as swaps,
  (select count(*) from dead_letter where retried_at is null and actor = 'pool') as dead_letters,
  (select count(*) from event_conflict) as conflicts,
  (select count(*) from position_refold) as recomputes,
  (select count(*) from ledger_audit) as audits,
  (
    select coalesce(sum(message_count), 0)::bigint
    from lost_message
    where found_at > now() - interval '7 days'
  ) as lost_messages
