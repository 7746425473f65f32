-- The canonically last priced swap of pools. $1 integer[]: pool ids, $2 bigint: the least lamports of a priced
-- trade, $3 bigint[]: its least token base units by decimals from 0 on, $4 integer: agent_trade that sets no price.
-- Index: swap_pool, backwards to the first that is priced; swaps at one position are ordered after.
select
  wanted.pool_id, last.timestamp_ms, last.sol_amount, last.token_amount, last.quote_decimals
from unnest($1::integer[]) as wanted (pool_id)
cross join lateral (
  select tied.timestamp_ms, tied.sol_amount, tied.token_amount, tied.quote_decimals
  from (
    select timestamp_ms, is_buy, signature, wallet_id, sol_amount, token_amount, quote_decimals
    from swap
    where swap.pool_id = wanted.pool_id
      and sol_amount >= $2 and token_amount >= ($3::bigint[])[quote_decimals + 1] and agent_trade <> $4
    order by slot desc, block_tx_index desc, ix_index desc, dex desc
    fetch first 1 row with ties
  ) as tied
  join wallet on wallet.id = tied.wallet_id
  {+last_of_tied}
) as last
