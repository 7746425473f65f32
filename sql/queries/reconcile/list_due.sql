-- Wallets that were reconciled before and traded since, the longest ago first; last those whose pass is said
-- to have begun when no clock that is right can have been: whether they traded since, nobody knows.
-- $1 bigint: Unix ms; passes that began later are good still; $2 integer: rows; $3 bigint: Unix ms of the
-- last time that a right clock can have written.
-- Index: position_pkey; reconciliation is read whole, it holds those wallets alone that somebody looked at.
select wallet.address as wallet
from reconciliation
join wallet on wallet.id = reconciliation.wallet_id
where reconciliation.reconciled_ms > $3
  or reconciliation.reconciled_ms <= $1
  and exists (
    select from position
    where position.wallet_id = reconciliation.wallet_id
      and position.last_trade_ms > reconciliation.reconciled_ms
  )
order by reconciliation.reconciled_ms, wallet.id
limit $2
