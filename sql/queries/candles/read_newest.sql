-- Time of the newest indexed swap, Unix ms; null before the first. Index: that of newest_swap_ms().
select newest_swap_ms() as newest_ms
