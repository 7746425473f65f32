-- Blocks whose events a pool lane leaves out; a blockhash of '' is every block of the slot. $1 smallint: lane. Index:
-- retraction_lane.
select slot, blockhash from retraction where lane = $1
