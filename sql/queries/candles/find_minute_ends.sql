-- The canonically first and last priced swap of pools' minutes.
-- Pairwise: $1 integer[] pool_id, $2 bigint[] bucket_ms, $3 $4 bigint[]: first and last slot of its swaps;
-- $5 bigint: the least lamports of a priced trade, $6 bigint[]: its least token base units by decimals from 0 on,
-- $7 integer: agent_trade that sets no price, $8 $9 bigint: least and greatest of the slots, which exclude all other
-- chunks. Index: swap_pool, from both ends of the minute's slots to the first that is priced; swaps at one position are
-- ordered after.
select
  wanted.pool_id, wanted.bucket_ms,
  first.sol_amount as open_sol, first.token_amount as open_token,
  first.quote_decimals as open_decimals,
  last.sol_amount as close_sol, last.token_amount as close_token,
  last.quote_decimals as close_decimals
from unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[])
  as wanted (pool_id, bucket_ms, first_slot, last_slot)
cross join lateral (
  select tied.sol_amount, tied.token_amount, tied.quote_decimals
  from (
    select is_buy, signature, wallet_id, sol_amount, token_amount, quote_decimals
    from swap
    where swap.pool_id = wanted.pool_id
      and slot >= wanted.first_slot and slot <= wanted.last_slot
      and slot between $8::bigint and $9::bigint
      and timestamp_ms >= wanted.bucket_ms and timestamp_ms < wanted.bucket_ms + 60000
      and sol_amount >= $5 and token_amount >= ($6::bigint[])[quote_decimals + 1] and agent_trade <> $7
    order by slot, block_tx_index, ix_index, dex
    fetch first 1 row with ties
  ) as tied
  join wallet on wallet.id = tied.wallet_id
  order by
    tied.is_buy desc, tied.signature, wallet.address, tied.sol_amount, tied.token_amount
  limit 1
) as first
cross join lateral (
  select tied.sol_amount, tied.token_amount, tied.quote_decimals
  from (
    select is_buy, signature, wallet_id, sol_amount, token_amount, quote_decimals
    from swap
    where swap.pool_id = wanted.pool_id
      and slot >= wanted.first_slot and slot <= wanted.last_slot
      and slot between $8::bigint and $9::bigint
      and timestamp_ms >= wanted.bucket_ms and timestamp_ms < wanted.bucket_ms + 60000
      and sol_amount >= $5 and token_amount >= ($6::bigint[])[quote_decimals + 1] and agent_trade <> $7
    order by slot desc, block_tx_index desc, ix_index desc, dex desc
    fetch first 1 row with ties
  ) as tied
  join wallet on wallet.id = tied.wallet_id
  {+last_of_tied}
) as last
