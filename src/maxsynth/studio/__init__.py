"""A page in the browser to watch a search, read its program, ask about examples, and question their labels.

`session` is what the page shows and changes, and knows nothing of the web; `engine` runs a search beside it; `desk` is
one program on one task. `server` answers the page, behind `guard`, which refuses what does not come from it. `report`
writes the same page as one file. What the browser gets is in `page/`, as it is.
"""
