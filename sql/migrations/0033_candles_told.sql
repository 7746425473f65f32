-- Word of candles that were rebuilt: rankings read all minutes of the token again, which they hold as they once read
-- them. Of such a word its sector, creator and positions are as they were.
alter table token_change add column of_candles boolean not null default false;
