-- Word of all tokens that rankings may hold: their positions may be others, as after a rebuild. Reads the
-- whole of pool.
insert into token_change (token_id)
select distinct token_id from pool where newest_ms >= newest_swap_ms() - 172800000
