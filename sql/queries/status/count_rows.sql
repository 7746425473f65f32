-- Swaps as the pools have counted them, and dead letters that nobody has retried.
-- Result: swaps bigint, dead_letters bigint. Reads the whole of pool and dead_letter.
select
  (select coalesce(sum(swap_count), 0)::bigint from pool) as swaps,
  (select count(*) from dead_letter where retried_at is null) as dead_letters
