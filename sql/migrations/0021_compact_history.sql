-- Sealed history: old swaps as blocks of one heap page each, and postings that find their rows (docs/history-format.md).
-- Written by the sealer, which deletes the same rows from `swap` in the same transaction; read by history/sealed. Its name
-- sorts before the removal of the same release, which waits for parts of the version before.

create sequence segment_ids as integer;

-- One row a run of slots that is sealed; it publishes the blocks and postings of its id. Runs do not overlap.
-- `signature_bits`, `wallet_bits`: of the buckets of its postings; `gone_count`: rows of it in `swap_gone`;
-- `content_hash`: of its rows by addresses, so that two installations agree whatever their ids.
create table segment (
  id integer primary key default nextval('segment_ids'),
  first_slot bigint not null,
  last_slot bigint not null,
  format smallint not null,
  row_count integer not null,
  block_count integer not null,
  signature_bits smallint not null,
  wallet_bits smallint not null,
  gone_count integer not null default 0,
  content_hash text collate "C" not null,
  sealed_at timestamptz not null default now()
);

create unique index segment_first_slot on segment (first_slot);

-- A block is as many swaps as fill a page, so none is stored out of line.
create table swap_block (
  segment_id integer not null,
  first_row integer not null,
  bytes bytea not null,
  primary key (segment_id, first_row)
) with (toast_tuple_target = 8160);

alter table swap_block alter column bytes set storage external;

-- `kind` is that of the envelope of `bytes`.
create table swap_posting (
  segment_id integer not null,
  kind smallint not null,
  bucket integer not null,
  part integer not null,
  bytes bytea not null,
  primary key (segment_id, kind, bucket, part)
) with (toast_tuple_target = 8160);

alter table swap_posting alter column bytes set storage external;

-- Rows of segments that no longer count: they were moved to `swap` to be changed.
create table swap_gone (
  segment_id integer not null,
  row_number integer not null,
  primary key (segment_id, row_number)
);

-- How often sealed history changed, a row a writer, so that writers do not wait for each other: a pool lane, or -1 for
-- the sealer. Readers compare the sum from before with that from after their statements.
create table history_version (
  writer smallint primary key,
  version bigint not null
);
