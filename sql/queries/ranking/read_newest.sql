-- Time of the newest indexed swap, Unix ms; null before the first.
select newest_swap_ms() as newest_ms
