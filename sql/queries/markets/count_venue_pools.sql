-- Pools with a swap by venue. Index: pool_dex, alone.
select dex, count(*) as pool_count from pool where dex is not null group by dex
