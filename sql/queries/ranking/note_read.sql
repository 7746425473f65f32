-- Notes up to where FEED is in the ranking snapshot, after a refresh that changed nothing. $1 bigint: sequence of the
-- feed, $2 integer: version of the formulas. Writes one row, none without a snapshot of this version.
update ranking_roll set feed_sequence = $1 where formula_version = $2
