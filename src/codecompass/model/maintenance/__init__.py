"""Values about maintenance: orders, reports, downloads, disk usage."""
