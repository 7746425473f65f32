-- The newest blocks that a source of chain data published, ascending. Reads the whole table, which has few rows.
select slot, blockhash, parent_slot, parent_blockhash, former_blockhashes from chain_link order by slot
