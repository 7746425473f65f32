-- One writer of coverage at a time until the end of the transaction, so that neighbours are always merged; readers go on.
lock table coverage in share row exclusive mode
