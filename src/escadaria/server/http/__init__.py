"""HTTP: the application, its routes, pages and refusals."""
