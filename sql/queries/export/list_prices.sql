-- Price and decimals of tokens now. $1 integer[]: token ids, each once. Result: price null for one without a priced
-- trade. Indexes: those of token_prices() and mint_decimals().
select
  wanted.id as token_id,
  priced.price,
  coalesce(
    priced.decimals, (select newest.decimals from mint_decimals(wanted.id) as newest)
  ) as decimals
from unnest($1::integer[]) as wanted (id)
left join token_prices($1) as priced on priced.token_id = wanted.id
