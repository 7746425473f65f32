-- name: reconcile/delete_spent
-- Deletes mints that a wallet no longer holds.
-- $1 integer: wallet id, $2 text[]: mints that it holds. Index: held_token_pkey.
delete from held_token where wallet_id = $1 and mint <> all ($2::text[])

-- name: reconcile/find_reconciliation
-- A wallet that ever traded, and when its newest pass began, Unix ms; null before the first.
-- $1 text: address. Index: wallet_address_key, reconciliation_pkey.
select wallet.id, reconciliation.reconciled_ms
from wallet
left join reconciliation on reconciliation.wallet_id = wallet.id
where wallet.address = $1

-- name: reconcile/list_due
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

-- name: reconcile/merge_held
-- Stores the holdings of a wallet; rows that are equal already are not written again.
-- $1 integer: wallet id, $2 text[]: mints, $3 text[]: base units, $4 smallint[]: decimals.
-- Index: held_token_pkey.
insert into held_token (wallet_id, mint, quantity, decimals)
select $1, held.mint, held.quantity::numeric, held.decimals
from unnest($2::text[], $3::text[], $4::smallint[]) as held (mint, quantity, decimals)
on conflict (wallet_id, mint) do update
set quantity = excluded.quantity, decimals = excluded.decimals
where (held_token.quantity, held_token.decimals) is distinct from (excluded.quantity, excluded.decimals)

-- name: reconcile/merge_reconciliation
-- Records when a wallet's pass began; no row where a newer one is stored. Locks the wallet's row until the commit, so
-- that passes of a wallet are written one after another.
-- $1 integer: wallet id, $2 bigint: Unix ms, $3 bigint: Unix ms; a pass dated later was written by a clock that was
-- ahead, and is replaced. Index: reconciliation_pkey.
insert into reconciliation (wallet_id, reconciled_ms)
values ($1, $2)
on conflict (wallet_id) do update
set reconciled_ms = excluded.reconciled_ms
where reconciliation.reconciled_ms < excluded.reconciled_ms or reconciliation.reconciled_ms > $3
returning wallet_id
