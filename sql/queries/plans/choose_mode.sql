-- Keeps the connection's plans for all values where the hypertables have few chunks, and makes them for the values
-- of each call where they have many. $1 integer: how many are few; $2 boolean: until the end of the transaction
-- alone. Result: the setting. Index: none, chunks are counted.
select set_config(
  'plan_cache_mode',
  case
    when (select count(*) from _timescaledb_catalog.chunk where not dropped) <= $1
      then 'force_generic_plan'
    else 'force_custom_plan'
  end,
  $2
) as mode
