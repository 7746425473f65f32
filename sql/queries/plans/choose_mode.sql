-- Until the end of the transaction: caches plans for all values where no hypertable has many chunks, and makes them for
-- the values of each call where one has. $1 integer: how many are few. Result: the setting. Index: none, chunks are
-- counted.
select set_config(
  'plan_cache_mode',
  case
    when exists (
      select from _timescaledb_catalog.chunk where not dropped group by hypertable_id having count(*) > $1
    )
      then 'force_custom_plan'
    else 'force_generic_plan'
  end,
  true
) as mode
