-- Movers that are on no page. Pairwise: $1 integer[] token ids, $2 smallint[] dex. Index: the primary key.
delete from mover_token
using unnest($1::integer[], $2::smallint[]) as gone (token_id, dex)
where mover_token.token_id = gone.token_id and mover_token.dex = gone.dex
