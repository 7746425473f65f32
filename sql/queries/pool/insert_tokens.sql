-- Interns mints. $1 text[]: addresses, sorted (so that two writers never wait crosswise). Does not wait for the disk:
-- any commit that uses such an id follows this one in the log. Only unknown mints are tried, because a refused row has
-- consumed its id nevertheless. Index: the unique key of token.
insert into token (address)
select fresh.address
from unnest($1::text[]) as fresh (address)
where (select set_config('synchronous_commit', 'off', true)) = 'off'
  and (select known.id from token as known where known.address = fresh.address) is null
on conflict (address) do nothing
