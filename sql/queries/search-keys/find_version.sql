-- By which version the search keys were computed; no row before the first time.
select version from search_key_version
