-- The highest slot that any pool has seen.
-- Result: slot bigint (null: no swaps yet). Reads the whole of pool.
select max(last_slot) as slot from pool
