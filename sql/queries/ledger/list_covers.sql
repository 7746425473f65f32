-- Up to which commit of each pool lane a rebuild has taken in what a lane will hear.
-- $1 smallint: lane.
select pool_lane, commit_number from ledger_cover where lane = $1
