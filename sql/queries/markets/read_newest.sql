-- Where trailing windows end (the newest indexed swap's time, or now if that is earlier), and the greatest time and slot of
-- an indexed swap; null before the first.
-- Indexes: that of newest_swap_ms(), swap_order.
select newest_swap_ms() as newest_ms, latest_swap_ms() as latest_ms, (select max(slot) from swap) as newest_slot
