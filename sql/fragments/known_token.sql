-- Whether anything is indexed of a `token`: a fact of a token line (looked-up
-- texts, of slot -1, are none), an event of one of its pools (see known_pool), or a token
-- line without a fact, which alone makes a token without pools.
-- Indexes: pool_token, pool_event_pool.
(
  coalesce(token.creator, token.sector) is not null
  or (
    coalesce(token.symbol, token.name, token.uri) is not null
    and coalesce(greatest(token.symbol_slot, token.name_slot, token.uri_slot), 0) >= 0
  )
  or coalesce(token.decimals, token.supply) is not null
  or exists (
    select from pool
    where pool.token_id = token.id
      and (pool.swap_count > 0 or exists (select from pool_event where pool_event.pool_id = pool.id))
  )
  or not exists (select from pool where pool.token_id = token.id)
)
