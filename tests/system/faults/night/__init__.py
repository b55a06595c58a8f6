"""Many faults, with another seed each time: ESCADARIA_SEED repeats one."""
