-- Background work of lanes on messages that they have read: positions to recompute, pools to repair, wallet lanes to
-- audit, a recount of the ranking. Result: the name of each. Reads the whole of small tables.
select 'position ' || wallet_id || ' ' || token_id as name from position_refold
union all
select 'pool ' || pool_id from pool_repair
union all
select 'wallet lane ' || lane from ledger_audit
union all
select 'ranking' from ranking_recount
