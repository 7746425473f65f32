-- Deletes completed recomputes, with a notification of each, since rankings cache positions. Where swaps were retracted,
-- what was derived from them goes, too: the wallet's tags, counts of its transactions, and stored days of its chart, from
-- the first of these swaps on (see functions/append_only.sql). A profile of time 0 is computed again when it is read.
-- $1 integer[] wallet_id, $2 integer[] token_id (pairwise). Index: the primary key of position_refold.
with done as (
  delete from position_refold
  using unnest($1::integer[], $2::integer[]) as done (wallet_id, token_id)
  where position_refold.wallet_id = done.wallet_id and position_refold.token_id = done.token_id
  returning position_refold.token_id, position_refold.wallet_id, position_refold.retracted_ms
), uncounted as (
  delete from wallet_transactions
  using done
  where wallet_transactions.wallet_id = done.wallet_id
    and wallet_transactions.hour_ms >= done.retracted_ms / 3600000 * 3600000
), reopened as (
  delete from chart_day
  using done
  where chart_day.wallet_id = done.wallet_id
    and chart_day.day_ms >= done.retracted_ms / 86400000 * 86400000
    and chart_day.day_ms >= first_reopened_day_ms()
), untagged as (
  delete from wallet_tag
  using done
  where wallet_tag.wallet_id = done.wallet_id and done.retracted_ms is not null
), unprofiled as (
  update wallet_profile
  set computed_ms = 0, tags = 0, changed_by = pg_current_xact_id()
  from done
  where wallet_profile.wallet_id = done.wallet_id and done.retracted_ms is not null
)
insert into token_change (token_id, wallet_id)
select token_id, wallet_id from done
