-- To the end of the transaction plans are made for the values of each call. Index: none.
set local plan_cache_mode = force_custom_plan
