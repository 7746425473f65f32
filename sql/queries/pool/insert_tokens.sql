-- Interns mints. $1 text[]: addresses, sorted (so that two writers never wait crosswise). Not waited for
-- until it stands on disk: whoever commits with such an id does it behind this.
insert into token (address)
select fresh.address
from unnest($1::text[]) as fresh (address)
where (select set_config('synchronous_commit', 'off', true)) = 'off'
on conflict (address) do nothing
