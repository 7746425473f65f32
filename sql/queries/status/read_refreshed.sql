-- Up to where FEED is in the rankings that are served; null before the first refresh by these formulas.
-- $1 integer: their version.
select (select feed_sequence from ranking_roll where formula_version = $1) as feed_sequence
