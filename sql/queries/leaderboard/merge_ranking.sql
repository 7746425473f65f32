-- Stores the description of a period's pages. $1 text: period, $2 bigint: when they were made, Unix ms,
-- $3 $4 bigint: first and last hour. Reads leaderboard_figures.
insert into leaderboard
select $1, $2, $3, $4, count(*) from leaderboard_figures
on conflict (period) do update set
  computed_ms = excluded.computed_ms, from_ms = excluded.from_ms, to_ms = excluded.to_ms,
  wallet_count = excluded.wallet_count
