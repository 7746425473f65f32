-- All pages and what stands of their tokens: they are made anew.
with pages as (
  delete from trending_page
), sides as (
  delete from mover_page
), trends as (
  delete from trending_token
)
delete from mover_token
