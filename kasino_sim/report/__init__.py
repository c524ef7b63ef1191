"""Reports: sections found by listing their folder, laid out by templates into one HTML file."""
