-- The ranking snapshot of a version of the formulas. $1 integer: version. No row before the first refresh, after a crash
-- of the server, which empties unlogged tables, and where the snapshot is of another version. Reads one row.
select newest_ms from ranking_roll where formula_version = $1
