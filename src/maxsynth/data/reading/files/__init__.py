"""Tables in files: CSV and Parquet, alone or a folder of them."""
