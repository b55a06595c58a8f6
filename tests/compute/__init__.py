"""The laboratory: kernels equal to the readable engine, and the same result on any number of workers."""
