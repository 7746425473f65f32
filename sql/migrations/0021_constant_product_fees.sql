-- Fees of protocol and creator outside the legs of a swap, where its source states their rates.

-- Basis points of the SOL leg without the pool's fee. Null: not stated, as of every swap that an earlier version stored. The columns of
-- retracted_swap are those of swap, in the same order.
alter table swap add column outside_protocol_bps smallint, add column outside_creator_bps smallint;
alter table retracted_swap add column outside_protocol_bps smallint, add column outside_creator_bps smallint;
