-- How often a sandwich's wallets attack: the sandwiches, of any pool, with a leg of one of its attackers whose last leg is in the
-- 216,000 slots (a day) that end with its own, itself included. Counted as far as `most`, and no further is read: each is counted
-- at its first leg of an attacker, so that nothing is sorted. The order of the joins is fixed (offset 0):
-- without statistics the planner would begin at all sandwiches. Indexes: sandwich_leg_attacker, the primary keys.
create or replace function sandwich_repeats(sandwich_id bigint, last_slot bigint, most bigint)
returns bigint
language sql stable
return (
  select count(*)
  from (
    select other.id
    from (
      select distinct own.wallet_id
      from sandwich_leg as own
      where own.sandwich_id = sandwich_repeats.sandwich_id and own.role <> 'victim'
    ) as attacker
    cross join lateral (
      select leg.sandwich_id, leg.ordinal
      from sandwich_leg as leg
      where leg.wallet_id = attacker.wallet_id
        and leg.role <> 'victim'
        and leg.slot > sandwich_repeats.last_slot - 216010
        and leg.slot <= sandwich_repeats.last_slot
      offset 0
    ) as leg
    cross join lateral (
      select sandwich.id
      from sandwich
      where sandwich.id = leg.sandwich_id
        and sandwich.ruling = 'sandwich'
        and sandwich.last_slot > sandwich_repeats.last_slot - 216000
        and sandwich.last_slot <= sandwich_repeats.last_slot
      offset 0
    ) as other
    where not exists (
        select
        from sandwich_leg as before
        join sandwich_leg as own on own.wallet_id = before.wallet_id
        where before.sandwich_id = leg.sandwich_id
          and before.ordinal < leg.ordinal
          and before.role <> 'victim'
          and own.sandwich_id = sandwich_repeats.sandwich_id
          and own.role <> 'victim'
      )
    limit sandwich_repeats.most
  ) as counted
);

-- Whether sums count a sandwich: of one slot with one wallet, or of an attacker that repeats. `repeats`: as far as 3 at least.
create or replace function is_counted_by(link text, width text, repeats bigint)
returns boolean
language sql immutable
return (link = 'wallet' and width <> 'wide') or repeats >= 3;

-- The same of a stored sandwich. Repeats are not counted where they decide nothing.
create or replace function is_counted_sandwich(
  sandwich_id bigint, last_slot bigint, link text, width text
)
returns boolean
language sql stable
return is_counted_by(
  is_counted_sandwich.link, is_counted_sandwich.width,
  sandwich_repeats(is_counted_sandwich.sandwich_id, is_counted_sandwich.last_slot, 3)
);
