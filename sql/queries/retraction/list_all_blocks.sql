-- Blocks that were retracted in any lane; a blockhash of '' is every block of the slot. Index: the primary key.
select distinct slot, blockhash from retraction
