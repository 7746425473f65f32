-- Stores the instant of a window's screen: that of the transaction. $1 integer: width in minutes.
insert into screener_roll
select $1, newest_swap_ms(), now() where newest_swap_ms() is not null
on conflict (window_minutes) do update set
  newest_ms = excluded.newest_ms, rolled_at = excluded.rolled_at
