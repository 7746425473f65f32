-- Blocks before a slot, which no fork reaches. $1 bigint: slot. Index: chain_link_pkey.
delete from chain_link where slot < $1
