-- Merges token lines: for each field the value of the highest slot wins, ties by the greater text.
-- One line per mint and call (the caller merges those of a batch). Pairwise: $1 text[] address,
-- then per field the value and its slot: $2 text[] $3 bigint[] creator, $4 smallint[] $5 bigint[]
-- decimals, $6 text[] $7 bigint[] symbol, $8 text[] $9 bigint[] name, $10 bigint[] $11 bigint[]
-- supply, $12 text[] $13 bigint[] sector; $14 $15 $16 text[]: search keys of symbol, name and sector, which go
-- with them. A null value changes nothing. Index: the unique key of token. A known mint is sent with its id: each row
-- without one consumes an identity value, before the conflict is detected, and an hourly import would exhaust integer
-- within a year.
insert into token (
  id, address, creator, creator_slot, decimals, decimals_slot, symbol, symbol_slot, name, name_slot,
  supply, supply_slot, sector, sector_slot, symbol_key, name_key, sector_key
)
overriding system value
select
  coalesce(
    (select known.id from token as known where known.address = line.address),
    nextval('token_id_seq')
  ),
  line.*
from unnest(
  $1::text[], $2::text[], $3::bigint[], $4::smallint[], $5::bigint[], $6::text[], $7::bigint[],
  $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::bigint[],
  $14::text[], $15::text[], $16::text[]
) as line (
  address, creator, creator_slot, decimals, decimals_slot, symbol, symbol_slot, name, name_slot,
  supply, supply_slot, sector, sector_slot, symbol_key, name_key, sector_key
)
on conflict (address) do update set
  creator = case
    when excluded.creator_slot is null then token.creator
    when token.creator_slot is null then excluded.creator
    when (excluded.creator_slot, excluded.creator::text collate "C")
      > (token.creator_slot, token.creator::text collate "C") then excluded.creator
    else token.creator
  end,
  creator_slot = case
    when excluded.creator_slot is null then token.creator_slot
    when token.creator_slot is null then excluded.creator_slot
    when (excluded.creator_slot, excluded.creator::text collate "C")
      > (token.creator_slot, token.creator::text collate "C") then excluded.creator_slot
    else token.creator_slot
  end,
  decimals = case
    when excluded.decimals_slot is null then token.decimals
    when token.decimals_slot is null then excluded.decimals
    when (excluded.decimals_slot, excluded.decimals::text collate "C")
      > (token.decimals_slot, token.decimals::text collate "C") then excluded.decimals
    else token.decimals
  end,
  decimals_slot = case
    when excluded.decimals_slot is null then token.decimals_slot
    when token.decimals_slot is null then excluded.decimals_slot
    when (excluded.decimals_slot, excluded.decimals::text collate "C")
      > (token.decimals_slot, token.decimals::text collate "C") then excluded.decimals_slot
    else token.decimals_slot
  end,
  symbol = case
    when excluded.symbol_slot is null then token.symbol
    when token.symbol_slot is null then excluded.symbol
    when (excluded.symbol_slot, excluded.symbol::text collate "C")
      > (token.symbol_slot, token.symbol::text collate "C") then excluded.symbol
    else token.symbol
  end,
  symbol_slot = case
    when excluded.symbol_slot is null then token.symbol_slot
    when token.symbol_slot is null then excluded.symbol_slot
    when (excluded.symbol_slot, excluded.symbol::text collate "C")
      > (token.symbol_slot, token.symbol::text collate "C") then excluded.symbol_slot
    else token.symbol_slot
  end,
  name = case
    when excluded.name_slot is null then token.name
    when token.name_slot is null then excluded.name
    when (excluded.name_slot, excluded.name::text collate "C")
      > (token.name_slot, token.name::text collate "C") then excluded.name
    else token.name
  end,
  name_slot = case
    when excluded.name_slot is null then token.name_slot
    when token.name_slot is null then excluded.name_slot
    when (excluded.name_slot, excluded.name::text collate "C")
      > (token.name_slot, token.name::text collate "C") then excluded.name_slot
    else token.name_slot
  end,
  supply = case
    when excluded.supply_slot is null then token.supply
    when token.supply_slot is null then excluded.supply
    when (excluded.supply_slot, excluded.supply::text collate "C")
      > (token.supply_slot, token.supply::text collate "C") then excluded.supply
    else token.supply
  end,
  supply_slot = case
    when excluded.supply_slot is null then token.supply_slot
    when token.supply_slot is null then excluded.supply_slot
    when (excluded.supply_slot, excluded.supply::text collate "C")
      > (token.supply_slot, token.supply::text collate "C") then excluded.supply_slot
    else token.supply_slot
  end,
  sector = case
    when excluded.sector_slot is null then token.sector
    when token.sector_slot is null then excluded.sector
    when (excluded.sector_slot, excluded.sector::text collate "C")
      > (token.sector_slot, token.sector::text collate "C") then excluded.sector
    else token.sector
  end,
  sector_slot = case
    when excluded.sector_slot is null then token.sector_slot
    when token.sector_slot is null then excluded.sector_slot
    when (excluded.sector_slot, excluded.sector::text collate "C")
      > (token.sector_slot, token.sector::text collate "C") then excluded.sector_slot
    else token.sector_slot
  end,
  symbol_key = case
    when excluded.symbol_slot is null then token.symbol_key
    when token.symbol_slot is null then excluded.symbol_key
    when (excluded.symbol_slot, excluded.symbol::text collate "C")
      > (token.symbol_slot, token.symbol::text collate "C") then excluded.symbol_key
    else token.symbol_key
  end,
  name_key = case
    when excluded.name_slot is null then token.name_key
    when token.name_slot is null then excluded.name_key
    when (excluded.name_slot, excluded.name::text collate "C")
      > (token.name_slot, token.name::text collate "C") then excluded.name_key
    else token.name_key
  end,
  sector_key = case
    when excluded.sector_slot is null then token.sector_key
    when token.sector_slot is null then excluded.sector_key
    when (excluded.sector_slot, excluded.sector::text collate "C")
      > (token.sector_slot, token.sector::text collate "C") then excluded.sector_key
    else token.sector_key
  end
