-- A text of the pool and the legs of a bracket, the same in every installation: brackets of one first leg are ordered by it.
-- Indexes: sandwich_leg_pkey, pool_pkey, token_pkey.
create or replace function sandwich_tie(sandwich_id bigint, pool_id integer, link text)
returns text
language sql stable
return md5(concat_ws(
  ' ',
  (
    select concat_ws(' ', pool.pair_address, token.address)
    from pool
    join token on token.id = pool.token_id
    where pool.id = sandwich_tie.pool_id
  ),
  sandwich_tie.link,
  (
    select string_agg(concat_ws(' ', leg.signature, leg.ix_index, leg.is_buy), ' ' order by leg.ordinal)
    from sandwich_leg as leg
    where leg.sandwich_id = sandwich_tie.sandwich_id
  )
)) collate "C";
