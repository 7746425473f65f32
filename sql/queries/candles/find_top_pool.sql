-- The top pool of a mint now, and its newest time. $1 text: mint. Indexes: those of token_prices().
select pool.id, pool.newest_ms
from token_prices(array(select id from token where address = $1)) as priced
join pool on pool.id = priced.pool_id
