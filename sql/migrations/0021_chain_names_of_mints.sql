-- Names that were looked up where no event states one, and links to pictures.

-- `symbol`, `name` and `uri` of a mint that no event names are those of its accounts, with slot -1: every event wins over
-- them, and neither replays nor comparisons of installations contain them.
--   names_source   what a look-up found its texts in: token_2022, metaplex or das; null without one
--   names_misses   look-ups that found no name
--   names_next_ms  Unix ms from which on it is looked up; null: not again
--   image          link to the picture that the document at `image_of` names
--   image_of       the URI whose document was read
--   image_misses, image_next_ms
--                  likewise, of the document at `uri`
alter table token
  add column names_source text collate "C",
  add column names_misses smallint not null default 0,
  add column names_next_ms bigint default 0,
  add column image text collate "C",
  add column image_of text collate "C",
  add column image_misses smallint not null default 0,
  add column image_next_ms bigint default 0;

-- Mints that are to be looked up next, the newest mints first among equals.
create index token_nameless on token (names_next_ms, id desc)
where symbol is null and name is null and names_next_ms is not null;
create index token_imageless on token (image_next_ms, id desc)
where uri is not null and image_of is distinct from uri and image_next_ms is not null;
