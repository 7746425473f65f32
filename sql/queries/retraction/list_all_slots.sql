-- Slots that were retracted in any lane. Index: the primary key.
select distinct slot from retraction
