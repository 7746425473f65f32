-- Stores the applied-ahead mark of a lane: swaps already applied of messages that it will read again. $1 smallint:
-- lane, $2 bigint: of those up to this sequence, $3 bigint: swaps up to this slot. Index: ledger_ahead_pkey.
insert into ledger_ahead (lane, sequence, slot)
values ($1, $2, $3)
on conflict (lane) do update set sequence = excluded.sequence, slot = excluded.slot
