-- name: token-names/list_imageless
-- Mints whose document is to be read, the longest due first. $1 bigint: now, Unix ms, $2 integer: how many.
-- Index: token_imageless.
select id, address as mint, uri, image_misses as misses
from token
where uri is not null and image_of is distinct from uri and image_next_ms is not null and image_next_ms <= $1
order by image_next_ms, id desc
limit $2

-- name: token-names/list_nameless
-- Mints without a name that are to be looked up, the longest due first, the newest of these first. $1 bigint: now, Unix ms,
-- $2 integer: how many. Index: token_nameless.
select id, address as mint, names_misses as misses
from token
where symbol is null and name is null and names_next_ms is not null and names_next_ms <= $1
order by names_next_ms, id desc
limit $2

-- name: token-names/list_stated
-- Nameless mints that a transaction named. $1 integer: how many. Indexes: token_unnamed, mint_name_pkey.
select token.id, token.address as mint, stated.symbol, stated.name, stated.uri
from token
join mint_name as stated on stated.address = token.address
where token.symbol is null and token.name is null
order by token.id
limit $1

-- name: token-names/merge_stated
-- Stores names that transactions state; of several of a mint the first counts, of one slot the lesser texts. Pairwise, each
-- mint once: $1 text[] address, $2 bigint[] slot, $3 $4 $5 text[] symbol, name, uri, null without one. Index: mint_name_pkey.
insert into mint_name as stored (address, slot, symbol, name, uri)
select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[])
on conflict (address) do update
set slot = excluded.slot, symbol = excluded.symbol, name = excluded.name, uri = excluded.uri
where (excluded.slot, coalesce(excluded.name, ''), coalesce(excluded.symbol, ''), coalesce(excluded.uri, ''))
  < (stored.slot, coalesce(stored.name, ''), coalesce(stored.symbol, ''), coalesce(stored.uri, ''))

-- name: token-names/delete_stated
-- Deletes names of mints that have one in `token` now. $1 text[] address. Index: mint_name_pkey.
delete from mint_name
using unnest($1::text[]) as known (address)
where mint_name.address = known.address

-- name: token-names/update_images
-- Stores links to pictures. Pairwise: $1 integer[] ids, $2 text[] the URIs whose documents were read, $3 text[] the links,
-- null where the document names none. A mint whose URI changed meanwhile is read again. Index: the primary key of token.
update token
set image = found.image, image_of = found.uri, image_misses = 0
from unnest($1::integer[], $2::text[], $3::text[]) as found (id, uri, image)
where token.id = found.id and token.uri = found.uri

-- name: token-names/update_image_misses
-- Notes documents that could not be read. Pairwise: $1 integer[] ids, $2 smallint[] misses, $3 bigint[] when they are read
-- again, Unix ms, null: not again. Index: the primary key of token.
update token
set image_misses = missed.misses, image_next_ms = missed.next_ms
from unnest($1::integer[], $2::smallint[], $3::bigint[]) as missed (id, misses, next_ms)
where token.id = missed.id

-- name: token-names/update_misses
-- Notes mints without a name. Pairwise: $1 integer[] ids, $2 smallint[] misses, $3 bigint[] when they are looked up again,
-- Unix ms, null: not again. Index: the primary key of token.
update token
set names_misses = missed.misses, names_next_ms = missed.next_ms
from unnest($1::integer[], $2::smallint[], $3::bigint[]) as missed (id, misses, next_ms)
where token.id = missed.id

-- name: token-names/update_names
-- Names mints that have no name, with slot -1, so that every event wins. Pairwise: $1 integer[] ids, $2 text[] source, $3 $4
-- $5 text[] symbol, name, uri, null without one, $6 $7 text[] search keys of symbol and name. A mint that an event named
-- meanwhile stays as it is. Index: the primary key of token.
update token
set
  names_source = found.source,
  symbol = found.symbol,
  symbol_slot = case when found.symbol is not null then -1 end,
  symbol_key = found.symbol_key,
  name = found.name,
  name_slot = case when found.name is not null then -1 end,
  name_key = found.name_key,
  uri = coalesce(token.uri, found.uri),
  uri_slot = case when token.uri is null and found.uri is not null then -1 else token.uri_slot end
from unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
  as found (id, source, symbol, name, uri, symbol_key, name_key)
where token.id = found.id and token.symbol is null and token.name is null
