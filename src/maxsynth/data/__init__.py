"""Data as people have it, tables and graphs, made into tasks.

A reader (`maxsynth.data.reading`) gives `Data`: tables of columns, however they were stored. What these mean as a
task is inferred from them and written down as a description that a person can read and edit; from both a task is
made.
"""
