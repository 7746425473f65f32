-- Until the end of the transaction: whether plans are made for the values at hand, or kept whatever the values; sorts
-- may use 64 MB, and of the chunks none is ruled out pool by pool: that takes longer than a look into its index.
-- $1 text: force_custom_plan, force_generic_plan.
select
  set_config('plan_cache_mode', $1::text, true) as plans,
  set_config('work_mem', '64MB', true) as memory,
  set_config('timescaledb.enable_runtime_exclusion', 'off', true) as exclusion
