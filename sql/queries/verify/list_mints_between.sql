-- Names of mints that were traded. $1 $2 integer: from the first to before the second. Indexes: token_pkey, pool_token.
select id, address
from token
where id >= $1 and id < $2 and exists (select from pool where pool.token_id = token.id)
