-- Until the end of the transaction: whether plans are made for the values of each call, or cached for all values; sorts
-- may use 64 MB, and chunks are not excluded pool by pool: that takes longer than a probe of their indexes.
-- $1 text: force_custom_plan, force_generic_plan.
select
  set_config('plan_cache_mode', $1::text, true) as plans,
  set_config('work_mem', '64MB', true) as memory,
  set_config('timescaledb.enable_runtime_exclusion', 'off', true) as exclusion
