-- From here on plans are made for the values of each call. Index: none.
set plan_cache_mode = force_custom_plan
