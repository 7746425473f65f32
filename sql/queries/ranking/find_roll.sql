-- Whether any pages were written: no row before, and none after a crash of the server, which empties unlogged
-- tables. Reads one row.
select newest_ms from ranking_roll
