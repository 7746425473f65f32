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
