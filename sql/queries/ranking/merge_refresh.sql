-- Stores the instant of the ranking snapshot. $1 bigint: the newest swap's time, $2 bigint: sequence of the feed,
-- $3 integer: version of the formulas.
insert into ranking_roll (newest_ms, feed_sequence, rolled_ms, formula_version)
values ($1, $2, (extract(epoch from clock_timestamp()) * 1000)::bigint, $3)
on conflict (is_only) do update set
  newest_ms = excluded.newest_ms, feed_sequence = excluded.feed_sequence,
  rolled_ms = excluded.rolled_ms, formula_version = excluded.formula_version
