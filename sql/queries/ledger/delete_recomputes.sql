-- Deletes completed recomputes, with a notification of each, since rankings cache positions.
-- $1 integer[] wallet_id, $2 integer[] token_id (pairwise). Index: the primary key of position_refold.
with done as (
  delete from position_refold
  using unnest($1::integer[], $2::integer[]) as done (wallet_id, token_id)
  where position_refold.wallet_id = done.wallet_id and position_refold.token_id = done.token_id
  returning position_refold.token_id, position_refold.wallet_id
)
insert into token_change (token_id, wallet_id)
select token_id, wallet_id from done
