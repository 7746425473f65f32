-- What a lane of the ledger has applied of messages behind its checkpoint, while it reads history and keeps the newest
-- swaps back: of those up to `sequence`, swaps up to `slot`. It says nothing of messages behind that one.
create table ledger_ahead (
  lane smallint primary key,
  sequence bigint not null,
  slot bigint not null
) with (fillfactor = 50);
