-- From here on plans are cached for all values. Index: none.
set plan_cache_mode = force_generic_plan
