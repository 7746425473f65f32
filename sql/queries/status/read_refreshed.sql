-- Up to where FEED is in the rankings that are served, and when they changed (Unix ms); null before the first refresh by
-- these formulas. `has_swaps`: whether there is anything to rank. $1 integer: their version. Reads one row, and the
-- index of pools.
select
  (select feed_sequence from ranking_roll where formula_version = $1) as feed_sequence,
  (select rolled_ms from ranking_roll where formula_version = $1) as refreshed_ms,
  newest_swap_ms() is not null as has_swaps
