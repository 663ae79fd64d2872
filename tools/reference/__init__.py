"""The generated pages of docs/reference, and the generated parts of pages that people write."""
