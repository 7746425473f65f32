-- Facts of tokens beside their trades. $1 integer[]: token ids. `creator_id`: the wallet of the token line's creator,
-- else of who created the first pool; null also where that wallet never traded, which `has_creator` distinguishes.
-- Indexes: token_pkey, token_start_pkey, those of token_birth(), the unique key of wallet.
select
  token.id as token_id, token.address as mint, token.sector, start.first_ms, wallet.id as creator_id,
  coalesce(token.creator, birth.creator) is not null as has_creator
from token
join token_start as start on start.token_id = token.id
left join lateral token_birth(case when token.creator is null then token.id end) as birth on true
left join wallet on wallet.address = coalesce(token.creator, birth.creator)
where token.id = any ($1::integer[])
