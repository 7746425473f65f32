-- Wallets that were reconciled before and traded since, the longest ago first; last the ones whose pass is dated later
-- than any right clock can have been: whether they traded since is unknown. $1 bigint: Unix ms; passes that began later
-- are still fresh; $2 integer: rows; $3 bigint: Unix ms of the latest time of a right clock.
-- Index: position_pkey; reconciliation is read whole, it holds only wallets that were viewed.
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
