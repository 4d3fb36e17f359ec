"""The commands that show a run as a page: `studio`, and `report`."""
