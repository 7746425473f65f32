-- What wallets are known for, by mint, and when each was looked at. A wallet's tags are those of its
-- newest profile, all of them.

create table wallet_profile (
  wallet_id integer primary key,
  computed_ms bigint not null
);

create table wallet_tag (
  wallet_id integer not null,
  token_id integer not null,
  tag text collate "C" not null,
  score double precision not null,
  computed_ms bigint not null,
  primary key (wallet_id, token_id, tag)
);

-- Which mints a wallet created, by the token's line and by the pool's event.
create index token_creator on token (creator) where creator is not null;
create index pool_event_creator on pool_event (creator) where event = 'created';
