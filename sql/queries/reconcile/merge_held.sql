-- Stores the holdings of a wallet; rows that are equal already are not written again.
-- $1 integer: wallet id, $2 text[]: mints, $3 text[]: base units, $4 smallint[]: decimals.
-- Index: held_token_pkey.
insert into held_token (wallet_id, mint, quantity, decimals)
select $1, held.mint, held.quantity::numeric, held.decimals
from unnest($2::text[], $3::text[], $4::smallint[]) as held (mint, quantity, decimals)
on conflict (wallet_id, mint) do update
set quantity = excluded.quantity, decimals = excluded.decimals
where (held_token.quantity, held_token.decimals) is distinct from (excluded.quantity, excluded.decimals)
