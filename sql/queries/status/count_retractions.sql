-- Retractions that a pool lane has read and not applied, and rejected events that are to be accepted because of one.
-- Reads two indexes, of which one has an entry for each retraction.
select
  (select count(*) from retraction where not is_applied)
    + (select count(*) from event_conflict where readmit_lane is not null) as left_over
