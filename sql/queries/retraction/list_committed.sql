-- The retraction that a transaction applied. $1 text: transaction (xid8), $2 smallint: lane. Index: retraction_lane.
select slot, blockhash from retraction where lane = $2 and is_applied and xmin = $1::xid8::xid
