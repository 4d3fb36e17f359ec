"""SWI-Prolog as an engine: a process that is confined, with limits of its own. Start in `swipl`."""
