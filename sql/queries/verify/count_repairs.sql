-- Pools that are still being gone through again.
select count(*) as repairs from pool_repair
