-- What search compares of a token's texts, beside the texts themselves. The program computes the keys
-- (domain/text/search-key.ts): the database's lower() knows no full case folding, and which characters are invisible
-- depends on the version of Unicode. Keys of rows from before are filled in after the migrations
-- (workers/search-keys.ts), and all of them again when the function or its Unicode changes.
alter table token
  add column symbol_key text collate "C",
  add column name_key text collate "C",
  add column sector_key text collate "C";

drop index token_symbol;
drop index token_name;
drop function search_key(text);
create index token_symbol on token (symbol_key, id);
create index token_name on token (name_key, id);

drop index token_sector;
create index token_sector on token (sector_key, address) where sector_key <> '';

-- Rows without a key of a text that they have: none, but after a program from before has written.
create index token_unkeyed on token (id)
where
  symbol is not null and symbol_key is null or name is not null and name_key is null
  or sector is not null and sector_key is null;

-- By which function, and which version of Unicode, the keys were computed; no row before the first time.
create table search_key_version (
  is_only boolean primary key default true check (is_only),
  version text not null
);
