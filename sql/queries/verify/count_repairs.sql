-- Pools that wait for a repair.
select count(*) as repairs from pool_repair
