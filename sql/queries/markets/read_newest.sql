-- Time and slot of the newest indexed swap, each the greatest of all; null before the first.
-- Indexes: that of newest_swap_ms(), swap_order.
select newest_swap_ms() as newest_ms, (select max(slot) from swap) as newest_slot
