-- Orders to fold positions again that were given to another lane, before the streams had as many lanes as
-- they have. $1 smallint: the lane of these wallets, $2 integer[] wallet_id.
-- Index: the primary key of position_refold.
update position_refold set lane = $1 where wallet_id = any ($2::integer[]) and lane <> $1
