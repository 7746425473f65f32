-- How often a sandwich's wallets attack: the sandwiches, of any pool, with a leg of one of its attackers whose last leg is in the
-- 216,000 slots (a day) that end with its own, itself included. Counted as far as `most`. Index: sandwich_leg_wallet.
create or replace function sandwich_repeats(sandwich_id bigint, last_slot bigint, most bigint)
returns bigint
language sql stable
return (
  select count(*)
  from (
    select distinct other.id
    from sandwich_leg as own
    join sandwich_leg as leg on leg.wallet_id = own.wallet_id
      and leg.slot > sandwich_repeats.last_slot - 216010 and leg.slot <= sandwich_repeats.last_slot
    join sandwich as other on other.id = leg.sandwich_id
    where own.sandwich_id = sandwich_repeats.sandwich_id
      and own.role <> 'victim'
      and leg.role <> 'victim'
      and other.ruling = 'sandwich'
      and other.last_slot > sandwich_repeats.last_slot - 216000
      and other.last_slot <= sandwich_repeats.last_slot
    limit sandwich_repeats.most
  ) as counted
);

-- Whether sums count a sandwich: of one slot with one wallet, or of an attacker that repeats.
create or replace function is_counted_sandwich(
  sandwich_id bigint, last_slot bigint, link text, width text
)
returns boolean
language sql stable
return (link = 'wallet' and width <> 'wide')
  or sandwich_repeats(is_counted_sandwich.sandwich_id, is_counted_sandwich.last_slot, 3) >= 3;
