-- Interns pools. $1 text[]: pair addresses, $2 text[]: mints (pairwise, sorted), already in token. As
-- insert_tokens.sql, without waiting for the disk.
insert into pool (pair_address, token_id)
select wanted.pair_address, token.id
from unnest($1::text[], $2::text[]) as wanted (pair_address, token_address)
join token on token.address = wanted.token_address
where (select set_config('synchronous_commit', 'off', true)) = 'off'
on conflict (pair_address, token_id) do nothing
