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
