"""Is a task well posed? What `maxsynth check` looks at, one matter to a file. All that is said of a task is true."""
