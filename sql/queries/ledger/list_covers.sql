-- The newest commit of each pool lane whose messages for a wallet lane a rebuild has applied.
-- $1 smallint: lane.
select pool_lane, commit_number from ledger_cover where lane = $1
