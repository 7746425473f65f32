-- Pages of the tokens that have a sector, by mint: of all, and of one sector. An empty sector is none.

create index token_with_sector on token (address) where sector <> '';

drop index token_sector;

create index token_sector on token (sector, address) where sector is not null;
