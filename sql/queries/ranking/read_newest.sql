-- Where trailing windows end, Unix ms: the newest indexed swap's time, or now if that is earlier; null before
-- the first swap.
select newest_swap_ms() as newest_ms
