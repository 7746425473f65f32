-- Deletes all pages and their tokens: both are computed again.
with pages as (
  delete from trending_page
), sides as (
  delete from mover_page
), trends as (
  delete from trending_token
)
delete from mover_token
