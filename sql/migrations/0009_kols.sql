-- Wallets of people who are known, as operators import them. By address: one may be known before it
-- trades.

create table kol (
  wallet text collate "C" primary key,
  display_name text not null,
  twitter_handle text not null
);
