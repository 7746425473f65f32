-- Swaps after a slot, whole slots. $1 bigint: slot, $2 bigint: last slot, $3 integer: rows;
-- $4 smallint[]: venues, null for all; $5 bigint, $6 bigint: first and last timestamp_ms.
-- Result: at least $3 if so many exist, and all of the last slot. Unordered: the caller sorts.
-- Index: swap_order; a chunk is opened only when the one before did not fill the page.
select
  {+stored_swap_columns}, swap.wallet_tags
from (
  select *
  from swap
  where slot > $1 and slot <= $2
    and ($4::smallint[] is null or dex = any ($4))
    and timestamp_ms between $5 and $6
  order by slot
  fetch first $3 rows with ties
) swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
