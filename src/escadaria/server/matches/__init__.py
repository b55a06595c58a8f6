"""All matches of a server, and the leases that servers hold."""
