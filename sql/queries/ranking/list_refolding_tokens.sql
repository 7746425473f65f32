-- Tokens with a position that waits to be folded again. Reads the whole of a small table.
select distinct token_id from position_refold
