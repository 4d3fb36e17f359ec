"""What benchmarks compare with: other learners, the tables that these need, folds that are the same for all."""
