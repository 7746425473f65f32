-- Notes when a wallet's pass began; no row where a newer one stands. Holds the wallet's row until the
-- commit, so that passes of a wallet are written one after the other.
-- $1 integer: wallet id, $2 bigint: Unix ms. Index: reconciliation_pkey.
insert into reconciliation (wallet_id, reconciled_ms)
values ($1, $2)
on conflict (wallet_id) do update
set reconciled_ms = excluded.reconciled_ms
where reconciliation.reconciled_ms < excluded.reconciled_ms
returning wallet_id
