-- Blocks before the newest slots. $1 integer: number of newest slots whose blocks stay listed. Index: coverage_block_pkey.
delete from coverage_block where slot <= (select max(to_slot) from coverage) - $1::integer
