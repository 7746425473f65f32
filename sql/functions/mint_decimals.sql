-- Decimals of a mint: those that its canonically newest swap states.

-- No row before the first swap. A plain SELECT without side effects, so that the planner inlines it into the calling
-- statement. Index: pool_token.
create or replace function mint_decimals(of_token integer)
  returns table (decimals smallint)
  language sql stable rows 1
as $$
  select pool.last_quote_decimals
  from pool
  where pool.token_id = of_token and pool.last_slot is not null
  order by
    pool.last_slot desc, pool.last_block_tx_index desc, pool.last_ix_index desc, pool.dex desc,
    pool.last_is_buy, pool.last_signature desc, pool.pair_address desc
  limit 1
$$;
