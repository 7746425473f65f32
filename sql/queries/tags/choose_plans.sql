-- For the transaction: statements are planned from indexes; once for all values, which spares a profile most of
-- its cost, while the hypertables have few chunks, else for the values at hand, because which chunks they touch
-- hangs on their slots. $1 integer: how many chunks are few. Index: none, chunks are counted.
select
  set_config(
    'plan_cache_mode',
    case
      when (select count(*) from _timescaledb_catalog.chunk where not dropped) <= $1
        then 'force_generic_plan'
      else 'force_custom_plan'
    end,
    true
  ),
  set_config('enable_seqscan', 'off', true),
  set_config('enable_bitmapscan', 'off', true),
  set_config('jit', 'off', true)
