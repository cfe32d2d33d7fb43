"""Ways to decide claims, one file each; none knows another."""
