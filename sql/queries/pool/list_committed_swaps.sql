-- The swaps that a transaction stored. xmin is the transaction that made a row's present version;
-- rows that the same commit only changed have another (see writeImpacts).
-- $1 text: transaction (xid8); pairwise: $2 bigint[] first, $3 bigint[] last slot of the runs that hold them; $4 $5
-- bigint: least and greatest slot, which exclude all other chunks. Index: swap_order.
select
  {+stored_swap_columns}, swap.wallet_tags
from unnest($2::bigint[], $3::bigint[]) as run (first_slot, last_slot)
join swap on swap.slot between run.first_slot and run.last_slot
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
where swap.xmin = $1::xid8::xid
  and swap.slot between $4::bigint and $5::bigint
