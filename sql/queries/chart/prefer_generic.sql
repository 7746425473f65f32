-- For a statement over so many chunks that planning it takes longer than running it: until the end of the
-- transaction plans are kept, whatever the values, and sorts may use 64 MB.
select
  set_config('plan_cache_mode', 'force_generic_plan', true) as plans,
  set_config('work_mem', '64MB', true) as memory
