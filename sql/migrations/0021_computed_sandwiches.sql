-- Sandwiches: brackets of one attacker's swaps around those of others in one pool, with what they took. Written by the job
-- "sandwiches" and by `rebuild sandwiches`, from the stored swaps (domain/market/sandwich). Its name sorts before the removal of the
-- same release, which waits for parts of the version before.

-- One row a bracket: a sandwich, or one that is refused with its ruling. The place is that of its first leg, `last_slot` that of
-- its last one. `profit_lamports` is null where the ruling came before it.
create table sandwich (
  id bigint generated always as identity primary key,
  pool_id integer not null,
  slot bigint not null,
  block_tx_index bigint not null,
  ix_index integer not null,
  signature text collate "C" not null,
  timestamp_ms bigint not null,
  last_slot bigint not null,
  ruling text collate "C" not null,
  link text collate "C" not null,
  width text collate "C" not null,
  victim_count integer not null,
  profit_lamports numeric,
  gain_of_others_lamports numeric not null
);

create index sandwich_pool on sandwich (pool_id, slot);
create index sandwich_slot on sandwich (slot);
create index sandwich_order on sandwich (slot, block_tx_index, ix_index, signature, id) where ruling = 'sandwich';

-- The swaps of a bracket in execution order: its front and back legs and, of sandwiches, the victims with their losses in
-- lamports (`loss_high` null: not known).
create table sandwich_leg (
  sandwich_id bigint not null references sandwich on delete cascade,
  ordinal smallint not null,
  role text collate "C" not null,
  wallet_id integer not null,
  slot bigint not null,
  block_tx_index bigint not null,
  ix_index integer not null,
  timestamp_ms bigint not null,
  signature text collate "C" not null,
  is_buy boolean not null,
  sol_amount bigint not null,
  token_amount bigint not null,
  basis text collate "C",
  loss_low numeric,
  loss_high numeric,
  primary key (sandwich_id, ordinal)
);

create index sandwich_leg_signature on sandwich_leg (signature);
create index sandwich_leg_wallet on sandwich_leg (wallet_id, slot);
create index sandwich_leg_attacker on sandwich_leg (wallet_id, slot) where role <> 'victim';
create index sandwich_leg_victim on sandwich_leg (timestamp_ms) where role = 'victim';

-- Runs of slots whose pools are to be searched: those of each commit of a pool lane, by a trigger on its checkpoint
-- (functions/sandwich_slots.sql). Deleted in the transaction that writes what was found.
create table sandwich_due (
  id bigint generated always as identity primary key,
  first_slot bigint not null,
  last_slot bigint not null
);

-- One row once the job has noted all that was stored before it first ran.
create table sandwich_start (
  is_only boolean primary key default true check (is_only),
  started_at timestamptz not null default now()
);
