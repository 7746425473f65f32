-- For the transaction: statements are planned for the values at hand and from indexes, because which chunks
-- they touch hangs on their slots.
select
  set_config('plan_cache_mode', 'force_custom_plan', true),
  set_config('enable_seqscan', 'off', true),
  set_config('jit', 'off', true)
