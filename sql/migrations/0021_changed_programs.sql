-- Warnings of the decoder (domain/decoder-warning.ts): signs that a venue's program has changed. Written in the transaction that
-- records the slots as covered, by one writer at a time.
create table decoder_warning (
  dex smallint not null,
  -- upgrade, unknown_instruction, unknown_event or reject_rate.
  kind text not null,
  -- `upgrade SIGNATURE`, the discriminator as hex, or which rejects: unreadable or no_sol_side.
  subject text not null,
  -- First and last slot with it; those of a reject rate begin with its newest time outside the band.
  first_slot bigint not null,
  last_slot bigint not null,
  -- How often it was read: a slot that is read again counts again. A reject rate counts windows outside the band.
  reads bigint not null,
  -- The share of a reject rate in its newest window, 0 to 1.
  share double precision,
  -- The slot at which a later window of a reject rate lay within the band again.
  ended_slot bigint,
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  primary key (dex, kind, subject)
);

-- Swaps that became lines or rejects, by venue and step of 100 slots, for the windows of the rates of rejects. Steps that were
-- not written for an hour are deleted.
create table decoder_read (
  dex smallint not null,
  step bigint not null,
  swaps bigint not null,
  unreadable bigint not null,
  no_sol bigint not null,
  updated_at timestamptz not null default now(),
  primary key (dex, step)
);
create index decoder_read_updated on decoder_read (updated_at);
