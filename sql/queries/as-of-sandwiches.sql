-- name: as-of/view_sandwich_legs
-- Stands for `sandwich_leg` as of a slot. $1 jsonb: legs of the handed brackets, numbers as texts. Index: that of the statement, which
-- the planner uses for a join where no part of the union has a condition of its own, and none is a bare function (offset 0).
select
  sandwich_id, ordinal, role, wallet_id, slot, block_tx_index, ix_index, timestamp_ms, signature, is_buy, sol_amount,
  token_amount, basis, loss_low, loss_high
from sandwich_leg
union all
(select
  sandwich_id, ordinal, role collate "C", wallet_id, slot, block_tx_index, ix_index, timestamp_ms,
  signature collate "C", is_buy, sol_amount, token_amount, basis collate "C", loss_low, loss_high
from jsonb_to_recordset($1::jsonb) as handed (
  sandwich_id bigint, ordinal smallint, role text, wallet_id integer, slot bigint, block_tx_index bigint,
  ix_index integer, timestamp_ms bigint, signature text, is_buy boolean, sol_amount bigint, token_amount bigint,
  basis text, loss_low numeric, loss_high numeric
)
offset 0)

-- name: as-of/view_sandwiches
-- Stands for `sandwich` as of a slot: stored brackets up to the last slot whose brackets no later swap changes ($1 bigint), and those
-- that were found in the slots from there on, which have negative ids. $2 jsonb: these, numbers as texts. Index: that of the
-- statement, as in view_sandwich_legs.
select *
from (
  select
    id, pool_id, slot, block_tx_index, ix_index, signature, timestamp_ms, last_slot, ruling, link, width, victim_count,
    profit_lamports, gain_of_others_lamports
  from sandwich
  union all
  (select
    id, pool_id, slot, block_tx_index, ix_index, signature collate "C", timestamp_ms, last_slot, ruling collate "C",
    link collate "C", width collate "C", victim_count, profit_lamports, gain_of_others_lamports
  from jsonb_to_recordset($2::jsonb) as handed (
    id bigint, pool_id integer, slot bigint, block_tx_index bigint, ix_index integer, signature text,
    timestamp_ms bigint, last_slot bigint, ruling text, link text, width text, victim_count integer,
    profit_lamports numeric, gain_of_others_lamports numeric
  )
  offset 0)
) as past
where id < 0 or slot <= $1::bigint
