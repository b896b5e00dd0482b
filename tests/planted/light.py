"""Bugs of starts: imports that nobody asked for, and what is left behind at the end."""

from planted import Mutant, T

LIGHT, TAKING, TABLES_LEAN = "test_light.py::", "test_tables_taking.py::", "test_tables_lean.py::"

CATALOGUE = [
    Mutant(
        "an engine's numbers by way of pandas",
        T + "engines/engine.py",
        "*map(np.from_dlpack, column.chunks)])",
        "column.to_numpy()])",
        LIGHT + "test_a_count_imports_no_frames",
    ),
    Mutant(
        "keys by way of pandas",
        T + "engines/taking.py",
        "pa.concat_arrays([pa.nulls(0, column.type), *parts])",
        "pa.concat_arrays([pa.array([], column.type), *parts])",
        LIGHT + "test_a_list_of_groups_imports_no_frames",
    ),
    Mutant(
        "all of Arrow's functions for a count",
        T + "engines/taking.py",
        "    if column.type == kind:\n        return column\n",
        "",
        LIGHT + "test_a_count_imports_no_frames",
    ),
    Mutant(
        "compilers for every engine that Ibis knows",
        T + "engines/lean.py",
        "    put_off()\n    backend =",
        "    backend =",
        LIGHT + "test_a_count_imports_no_frames",
    ),
    Mutant(
        "a connection that a process which ends at once leaves open",
        T + "engines/lean.py",
        "    return closed_at_end(backend)",
        "    return backend",
        LIGHT + "test_what_an_engine_of_ours_wrote_aside_is_gone_at_such_an_end",
    ),
    Mutant(
        "a child that closes what its parent opened",
        T + "engines/lean.py",
        "close() if os.getpid() == here else None",
        "close()",
        TABLES_LEAN + "test_a_connection_is_closed_with_its_last_table_by_the_process_that_opened_it",
    ),
    Mutant(
        "threads that find a package half loaded",
        T + "engines/lean.py",
        "        with lock:  #",
        "        if True:  #",
        TABLES_LEAN + "test_compilers_are_put_off",
    ),
    Mutant(
        "an end that waits for nobody",
        "cli/__init__.py",
        "return others or default or",
        "return default or",
        LIGHT + "test_others_who_are_at_work_are_waited_for",
    ),
    Mutant(
        "an end before what was registered for it",
        "cli/__init__.py",
        "        run()\n",
        "        pass\n",
        LIGHT + "test_a_command_ends_with_its_code_when_all_is_said_and_done",
    ),
    Mutant(
        "words that are lost without a sign",
        "cli/__init__.py",
        "            code = _UNSAID\n",
        "            pass\n",
        LIGHT + "test_what_cannot_be_said_has_the_exit_code_of_python",
    ),
    Mutant(
        "keys of a part of an array from the beginning of the whole",
        T + "engines/taking.py",
        "at = rows + chunk.offset",
        "at = rows",
        TAKING + "test_taken_is_what_arrow_takes",
    ),
    Mutant(
        "a null that becomes a key",
        T + "engines/taking.py",
        ">> (at & 7) & 1",
        ">> (at & 7) | 1",
        TAKING + "test_taken_is_what_arrow_takes",
    ),
    Mutant(
        "keys in the order of the answer, not of the release",
        T + "engines/taking.py",
        "np.argsort(order))",
        "order)",
        TAKING + "test_taken_is_what_arrow_takes",
    ),
    Mutant(
        "sums whose upper half is dropped",
        T + "engines/taking.py",
        "if (high != low >> 63).any():",
        "if False:",
        TAKING + "test_a_number_beyond_is_refused_as_arrow_refuses_it",
    ),
    Mutant(
        "bytes taken for texts at their word",
        T + "keys.py",
        "    texts.validate(full=True)\n",
        "",
        TAKING + "test_bytes_are_read_as_texts_or_refused",
    ),
    Mutant(
        "what is open at the end stays open",
        "cli/__init__.py",
        "atexit.register(gc.disable)",
        "atexit.register(gc.freeze)",
        LIGHT + "test_what_an_engine_wrote_aside_is_gone_when_the_command_ends",
    ),
    Mutant(
        "names of modules that are not public",
        "__init__.py",
        "_MODULES if name in __all__ else ()",
        "_MODULES",
        LIGHT + "test_a_name_that_is_not_public_is_not_there",
    ),
]
