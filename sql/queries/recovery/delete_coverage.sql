-- Deletes all runs of slots, to be replaced by those of a backup in the same transaction.
delete from coverage
