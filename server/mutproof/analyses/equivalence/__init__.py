"""Tell survivors that no property can ever kill from gaps: products, proofs, differences."""
