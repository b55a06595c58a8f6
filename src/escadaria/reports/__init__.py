"""Figures made readable: analyses, results of the lab and strategy, as text, HTML, plots and JSON."""
