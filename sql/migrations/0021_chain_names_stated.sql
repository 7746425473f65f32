-- Names that transactions state of mints, until the mints are seen.

-- One row a mint that a transaction named and that has no name in `token`, by the first transaction that names it. Written by
-- sources of chain data that read such calls (a portal), before their slots are recorded in `coverage`; most of these mints
-- are never traded. `swaptide jobs` moves a row to `token` once the mint is there without a name
-- (`names_source` is then transaction).
create table mint_name (
  address text collate "C" primary key,
  slot bigint not null,
  symbol text collate "C",
  name text collate "C",
  uri text collate "C"
);

-- Mints without a name, to find those that a transaction named.
create index token_unnamed on token (address) where symbol is null and name is null;
