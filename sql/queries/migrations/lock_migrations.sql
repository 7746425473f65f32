-- One process migrates at a time; held until the connection ends.
select pg_advisory_lock(7305941621)
