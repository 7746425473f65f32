-- The state of the tables that an export reads: stored swaps, their highest slot and newest time, which may be later than now
-- (null without any), and rows that wait to be recomputed. Reads the whole of pool. Index: that of latest_swap_ms().
select
  (select coalesce(sum(swap_count), 0)::bigint from pool) as swaps,
  (select max(last_slot) from pool) as newest_slot,
  latest_swap_ms() as newest_swap_ms,
  (select count(*) from position_refold) as positions_to_recompute,
  (select count(*) from pool_repair) as pools_to_repair
