-- Plans as those of the connection (sql/plans.ts), like the other functions': made anew with every call, they took most
-- of what the call did where there are few chunks.
alter function last_place(integer, bigint, bigint) reset plan_cache_mode;
alter function first_of_pools(integer[], bigint) reset plan_cache_mode;
