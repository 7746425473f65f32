-- Ranks computed on the spot. $1 $2 bigint: first and last hour; $3 $4: the hours that determine arbitrageurs; $5 $6:
-- the slots that hold their swaps; $7 text: pnl_mode; $8 boolean: without arbitrageurs;
-- $9 integer: limit; $10 integer: offset. For windows of few rows: it reads and sorts them all.
{+ranked_wallets}
limit $9 offset $10
