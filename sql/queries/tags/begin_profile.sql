-- For the transaction: statements are planned from indexes, and no other session profiles the wallet: one that waited
-- for the other's rows would overwrite changes that it cannot see. $1 integer: wallet id. Index: none.
select
  set_config('enable_seqscan', 'off', true),
  set_config('enable_bitmapscan', 'off', true),
  set_config('jit', 'off', true),
  pg_advisory_xact_lock(hashtextextended('wallet_profile', $1::integer))
