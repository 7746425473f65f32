-- Prices of tokens now, with the reserves of their top pool, and US dollars a SOL; in the order of the ids, one row
-- each. $1 integer[]: token ids. Indexes: those of token_prices(), pool_pkey.
select
  wanted.id as token_id, priced.price, pool.dex, pool.last_sol_reserves, pool.migrated_at_ms,
  pool.last_virtual_quote_reserves,
  (select sol_usd()) as rate
from unnest($1::integer[]) with ordinality as wanted (id, place)
left join token_prices($1) as priced on priced.token_id = wanted.id
left join pool on pool.id = priced.pool_id
order by wanted.place
