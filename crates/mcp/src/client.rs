//! Servers that skills bring: started when first needed, stopped when idle, held in limits.
