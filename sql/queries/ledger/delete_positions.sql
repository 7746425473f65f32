-- Deletes positions of which no swap is left. $1 integer[] wallet_id, $2 integer[] token_id (pairwise).
-- Index: the primary key of position.
delete from position
using unnest($1::integer[], $2::integer[]) as gone (wallet_id, token_id)
where position.wallet_id = gone.wallet_id and position.token_id = gone.token_id
