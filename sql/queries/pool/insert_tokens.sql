-- Interns mints. $1 text[]: addresses, sorted (so that two writers never wait crosswise). Not waited for
-- until it stands on disk: whoever commits with such an id does it behind this. Only what is not known is
-- tried, because a row that is refused has taken its id all the same. Index: the unique key of token.
insert into token (address)
select fresh.address
from unnest($1::text[]) as fresh (address)
where (select set_config('synchronous_commit', 'off', true)) = 'off'
  and (select known.id from token as known where known.address = fresh.address) is null
on conflict (address) do nothing
