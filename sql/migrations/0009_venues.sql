-- The table of venues.

-- One row a venue, as domain/venue.ts describes it, so that no statement repeats the constants. Written by `migrate`
-- and `up`, whenever the program's table changed.
--   has_reserves      false: its pools report none, and their liquidity is 0
--   missing_lamports  SOL that its pools do not report, if they migrated at or after `missing_from_ms` (Unix ms); null
--                     for a venue whose pools report everything
create table venue (
  dex smallint primary key,
  name text collate "C" not null unique,
  has_reserves boolean not null,
  missing_lamports bigint,
  missing_from_ms bigint,
  check ((missing_lamports is null) = (missing_from_ms is null))
);
