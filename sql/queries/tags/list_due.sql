-- Wallets whose tags are to be computed: those of the newest 20,000 swaps, and those that were viewed before and traded
-- since. Half of the rows are wallets without tags so far, half wallets with tags, the oldest first; where one half has
-- fewer, the other has the rest: in a market with ever new wallets, these alone would fill every run.
-- $1 bigint: Unix ms; tags that were computed later are still fresh; $2 integer: rows; $3 bigint: Unix ms of the latest
-- time of a right clock: tags dated later are due, and come last.
-- Index: swap_order, wallet_profile_pkey, the primary key of position.
select due.wallet
from (
  select
    wallet.id,
    wallet.address as wallet,
    profile.computed_ms,
    row_number() over (
      partition by profile.computed_ms is null order by profile.computed_ms, wallet.address
    ) as place
  from (
    select wallet_id
    from (select wallet_id from swap order by slot desc fetch first 20000 rows with ties) newest
    union
    select wallet_id
    from wallet_profile
    where computed_ms > $3 or computed_ms <= $1 and exists (
      select from position
      where position.wallet_id = wallet_profile.wallet_id
        and position.last_trade_ms > wallet_profile.computed_ms
    )
  ) candidate
  join wallet on wallet.id = candidate.wallet_id
  left join wallet_profile profile on profile.wallet_id = candidate.wallet_id
  where profile.computed_ms is null or profile.computed_ms <= $1 or profile.computed_ms > $3
) as due
order by due.place, due.computed_ms nulls first, due.wallet
limit $2
