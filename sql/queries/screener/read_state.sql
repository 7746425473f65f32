-- State that a screen needs first. $1 integer: width in minutes. Result: newest swap, dollars a SOL, the
-- highest id of a pool, age of the stored screen (null: none is stored, or the clock was set back to before it).
-- Indexes: slot_span_pkey, pool_pkey, screener_roll_pkey.
select
  newest_swap_ms() as newest_ms,
  sol_usd() as rate,
  (select max(id) from pool) as pool_count,
  (
    select (extract(epoch from clock_timestamp() - rolled_at) * 1000)::double precision
    from screener_roll
    where window_minutes = $1 and rolled_at <= clock_timestamp()
  ) as age_ms,
  (select newest_ms from screener_roll where window_minutes = $1) as rolled_newest_ms
