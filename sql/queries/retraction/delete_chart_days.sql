-- Stored days of the charts of wallets that hold or held tokens, to be computed again. $1 integer[]: token ids,
-- $2 bigint: the first day's beginning, Unix ms. Indexes: position_token, the primary key.
delete from chart_day
where day_ms >= $2
  and day_ms >= first_reopened_day_ms()
  and wallet_id in (select wallet_id from position where token_id = any ($1::integer[]))
