"""What every router shares: errors, the time range, paging, CSV. No feature words."""
