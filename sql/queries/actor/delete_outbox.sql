-- What earlier commits of a lane were to publish: it is known to stand in FEED.
-- $1 text: actor, $2 integer: lane, $3 bigint: the commit number now being written.
delete from outbox where actor = $1 and lane = $2 and commit_number < $3
