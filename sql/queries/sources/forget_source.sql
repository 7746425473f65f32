-- Deletes a source of chain data that ended in order. $1 uuid.
delete from chain_source where id = $1
