-- Pools to go through again, from their first swap on. $1 integer[] pool_id, $2 smallint lane.
insert into pool_repair (pool_id, lane)
select unnest($1::integer[]), $2
on conflict (pool_id) do update set next_slot = 0
