-- Volumes of venues and times of slots change by this transaction alone until its end: their rows of all lanes are merged.
-- In the order in which pool/merge_sums locks the two, else a commit and a retraction would wait for each other.
lock table slot_span, venue_volume in share row exclusive mode
