-- What a wallet's holdings were worth at the end of each closed day. A day is written once and never
-- changes, whatever swaps come late: the one exception to "every table is the fold of its swaps".

create table chart_day (
  wallet_id integer not null,
  day_ms bigint not null check (day_ms % 86400000 = 0),
  value_sol double precision not null,
  primary key (wallet_id, day_ms)
);

create function refuse_change_of_closed_day() returns trigger language plpgsql as $$
begin
  raise exception 'chart_day holds closed days: they are never changed';
end
$$;

create trigger chart_day_closed before update or delete or truncate on chart_day
  for each statement execute function refuse_change_of_closed_day();
