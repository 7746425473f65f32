-- Positions that were folded again. $1 integer[] wallet_id, $2 integer[] token_id (pairwise).
delete from position_refold
using unnest($1::integer[], $2::integer[]) as done (wallet_id, token_id)
where position_refold.wallet_id = done.wallet_id and position_refold.token_id = done.token_id
