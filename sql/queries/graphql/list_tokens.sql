-- What is known of tokens and what they cost now. $1 text[]: mints; unknown ones are absent. The creator is the
-- token line's, else that of the first `created` event, as in tags/list_creations.
-- Indexes: token_address_key, pool_token, pool_event_birth, and those of token_prices().
select
  token.address as mint, token.symbol, token.name, token.decimals,
  coalesce(token.creator, birth.creator) as creator, token.sector,
  prices.price, prices.price_ms, prices.price_ms < newest_swap_ms() - 86400000 as price_is_stale,
  (select sol_usd()) as sol_usd
from token
left join token_prices(array(select id from token where address = any ($1))) as prices
  on prices.token_id = token.id
left join lateral (
  select pool_event.creator
  from pool
  join pool_event on pool_event.pool_id = pool.id and pool_event.event = 'created'
  where token.creator is null and pool.token_id = token.id
  order by
    pool_event.slot, pool_event.block_tx_index, pool_event.ix_index, pool_event.dex,
    pool_event.signature
  limit 1
) as birth on true
where token.address = any ($1)
