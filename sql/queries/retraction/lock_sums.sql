-- Volumes of venues and times of slots change by this transaction alone until its end: their rows of all lanes are merged.
lock table venue_volume, slot_span in share row exclusive mode
