-- Ids that rows reference although the table of ids lacks them: how many of each kind, and one of them.
-- Result: a row for each kind that occurs. Reads every swap and position once, by index where there is one.
select kind, count(*) as ids, min(id) as example
from (
  select 'swap.wallet_id' as kind, used.id
  from (select distinct wallet_id as id from swap) as used
  where not exists (select from wallet where wallet.id = used.id)
  union all
  select 'swap.pool_id', used.id
  from (select distinct pool_id as id from swap) as used
  where not exists (select from pool where pool.id = used.id)
  union all
  select 'position.wallet_id', used.id
  from (select distinct wallet_id as id from position) as used
  where not exists (select from wallet where wallet.id = used.id)
  union all
  select 'position.token_id', used.id
  from (select distinct token_id as id from position) as used
  where not exists (select from token where token.id = used.id)
) as dangling
group by kind
order by kind
