-- name: plans/choose_mode
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

-- name: plans/keep_plans
-- From here on plans are cached for all values. Index: none.
set plan_cache_mode = force_generic_plan

-- name: plans/list_crowded
-- Hypertables of many chunks, and the functions that read one, however indirectly, unless they set their plan mode. $1
-- integer: how many chunks are few. Result: names, in order. Index: none, chunks are counted.
with recursive source as (
  select proname::text as name, coalesce(nullif(prosrc, ''), pg_get_function_sqlbody(oid)) as body
  from pg_proc
  where pronamespace = current_schema()::regnamespace
    and prokind = 'f'
    and not coalesce(array_to_string(proconfig, ' ') ~ 'plan_cache_mode', false)
),
crowded as (
  select hypertable.table_name::text as name
  from _timescaledb_catalog.chunk
  join _timescaledb_catalog.hypertable on hypertable.id = chunk.hypertable_id
  where not chunk.dropped and hypertable.schema_name = current_schema()
  group by hypertable.table_name
  having count(*) > $1
  union
  select source.name
  from crowded
  join source on source.body ~ ('\m' || crowded.name || '\M')
)
select name from crowded order by name

-- name: plans/make_plans
-- From here on plans are made for the values of each call. Index: none.
set plan_cache_mode = force_custom_plan

-- name: plans/make_plans_here
-- To the end of the transaction plans are made for the values of each call. Index: none.
set local plan_cache_mode = force_custom_plan
