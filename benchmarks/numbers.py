"""Numbers and constants in rules: what `numbers_in_rules.py` does, which has the code and says how to call it.

Python looks into the folder of a script first, so that for all scripts of this folder, and what they import, this file
is in the place of the standard module of the same name. For these it is that module.
"""

if __name__ == "__main__":
    from numbers_in_rules import main

    main()
else:
    import sysconfig
    from pathlib import Path

    standard = Path(sysconfig.get_path("stdlib"), "numbers.py")
    exec(compile(standard.read_text(encoding="utf-8"), str(standard), "exec"))
